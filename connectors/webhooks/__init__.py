"""Receives webhooks: a delivery is verified, encrypted and stored before it is answered."""
