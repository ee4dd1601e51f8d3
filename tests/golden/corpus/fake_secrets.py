"""Made-up secrets, put together from parts so that no scanner takes them for a leak."""

TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
CLOUD_KEY = "AKIA" + "Q3EGRPLT6X2ZUVWB"
PASSWORD = "vT9" + "rQ2!xLm7#pZk4"
