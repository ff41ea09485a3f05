/** Waits so many milliseconds. `node:timers/promises` does the same, but every call that opens a vault would have to load it. */
export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
