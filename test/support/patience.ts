/**
 * Options of `vi.waitFor` and `vi.waitUntil` where processes or sockets decide how long it takes: the limit only catches
 * hangs.
 */
export const PATIENCE = { timeout: 20_000, interval: 10 } as const;
