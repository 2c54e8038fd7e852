import sys

from quern_doctor.command import main

sys.exit(main())
