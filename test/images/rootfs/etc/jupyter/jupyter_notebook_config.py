# The same for the classic Notebook, which does not read the server's file.
c = get_config()  # noqa: F821
c.NotebookApp.ip = ""
c.NotebookApp.open_browser = False
c.FileContentsManager.delete_to_trash = False
