// Prints the time at which `main` begins. Links nothing of Tenon.
import StartReport

reportStart()
