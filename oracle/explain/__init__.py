"""Why a shader is rejected: the path in the uniformity graph, told in words or drawn."""
