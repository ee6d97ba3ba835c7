AREAS = {}
