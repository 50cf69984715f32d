// Prints the time at which `main` begins. Links every product.
import StartReport

reportStart()
