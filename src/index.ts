/** The program (`node dist/index.js`). */
import { runProgram } from "./cli/program.js";

void runProgram();
