/** The program's version, from the one place that states it. */
import manifest from "../../package.json" with { type: "json" };

export const VERSION: string = manifest.version;
