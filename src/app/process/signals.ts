/** Waiting for the operator to end a foreground command. */

/** Resolves with the first SIGINT or SIGTERM; a second one ends the process immediately. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const keepAlive = setInterval(() => undefined, 2 ** 30);
    const finish = (signal: NodeJS.Signals) => {
      clearInterval(keepAlive);
      for (const name of ['SIGINT', 'SIGTERM'] as const) {
        process.removeListener(name, finish);
        process.once(name, () => process.exit(130));
      }
      resolve(signal);
    };
    process.on('SIGINT', finish);
    process.on('SIGTERM', finish);
  });
}
