/** The program (`node dist/index.js`): wiring, nothing else. */
import { runProgram } from "./cli/program.js";

void runProgram();
