# All that jupyter/docker-stacks configures, apart from certificates and plots.
c = get_config()  # noqa: F821
c.ServerApp.ip = ""
c.ServerApp.open_browser = False
c.FileContentsManager.delete_to_trash = False
