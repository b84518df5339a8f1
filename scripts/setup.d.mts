export const ROOT: string;
/** Installs the npm packages if the lock file is newer than the installed packages. */
export function ensureNodeModules(purpose: 'start' | 'test'): Promise<void>;
/** The Node.js that runs Sluice: this one if it is new enough, otherwise the one npm installed. */
export function nodeBinary(): string;
/** The environment with the npm binaries first in PATH. */
export function toolEnvironment(): NodeJS.ProcessEnv;
/** Installs missing Debian packages where it can. For `test` and `long`, ends the process where it cannot. */
export function ensureDebianPackages(purpose: 'test' | 'start' | 'long'): void;
/** Builds the jail launcher if there is a compiler. */
export function ensureJail(): void;
