"""Record the figures of today, and print those of all projects."""

import os

from infra.platform.settings import Settings
from tests.reading.recall.measuring import ALL, FILE, measure_projects, write_figures

figures = measure_projects(Settings.from_env(os.environ).cache)
write_figures(figures)
print(f"recorded in {FILE}: {figures[ALL]}")
