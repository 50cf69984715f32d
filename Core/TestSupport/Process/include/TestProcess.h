// Nothing to call: linking this module gives the process a temporary folder of its own. See process.c.
