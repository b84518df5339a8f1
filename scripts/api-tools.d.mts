/** Installs missing tools. Rejects if one cannot be installed. */
export function installLinters(): Promise<void>;
export function installSchemathesis(): Promise<void>;
export function installS3Server(): Promise<void>;
export function installSamlProvider(): Promise<void>;
export function installScimTester(): Promise<void>;
export function installAcmeServer(): Promise<void>;
/** Resolves with the path of an ffmpeg that pushes H.265 by RTMP. */
export function installNewerFfmpeg(): Promise<string>;
