// Nothing to call: linking this module gives the process a separate temporary folder. See process.c.
