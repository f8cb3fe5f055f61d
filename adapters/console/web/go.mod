module tilth-console-web
