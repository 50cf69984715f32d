// Prints the time at which `main` begins. Links Core alone.
import StartReport

reportStart()
