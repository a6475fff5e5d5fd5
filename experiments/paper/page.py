"""stub"""


def write_page(results, timings, settings, folder):
    return folder
