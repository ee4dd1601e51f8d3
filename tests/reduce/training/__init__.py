"""How the weights of the PRD's placement are made. Needs scikit-learn 1.9.1; not installed."""
