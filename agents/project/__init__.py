"""The project graph: a supervisor and six specialists that answer what people ask of a project."""
