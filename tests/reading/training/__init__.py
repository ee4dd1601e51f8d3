"""How the weights of the offline reader are made. Needs scikit-learn 1.9.1; not installed."""
