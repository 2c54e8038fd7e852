import sys

from quern.tools.cli import main

sys.exit(main())
