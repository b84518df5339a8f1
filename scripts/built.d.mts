export const SOURCE_MAIN: string;
/** Exists after `ensureBuilt`. */
export const BUILT_MAIN: string;
/** Bundles the gateway, by this Node.js, if a source is newer than the bundle. Returns whether the bundle is current. */
export function ensureBuilt(node: string): boolean;
