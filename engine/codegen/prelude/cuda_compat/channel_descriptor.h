// Everything this header declares is built in.
#pragma once
