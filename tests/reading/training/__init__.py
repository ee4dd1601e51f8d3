"""How the reader's weights are made. Needs scikit-learn; nothing at run time imports it."""
