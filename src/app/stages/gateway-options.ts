/** Options with which a gateway starts. */

import type { LinkTransport } from '../../cluster/links/link-transport.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { CreateRedisClient } from '../../counters/redis-link.ts';
import type { LaunchRecorder } from '../../recording/recorder.ts';
import type { RecorderWorkerData } from '../../recording/recorder-protocol.ts';
import type { IgnoredSettings } from '../../system/console-settings.ts';
import type { LogMemory } from '../../system/log-memory.ts';
import type { ConfigText } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import type { LogLevel } from '../process/logging.ts';

/** The process's log, as far as the API shows and changes it. */
export interface LogControl {
  /** Log lines that were written. */
  readonly memory: LogMemory;
  setLevel(level: LogLevel): void;
}

/** Services outside its process, which a simulation replaces. */
export interface Surroundings {
  readonly createRedisClient: CreateRedisClient;
  readonly links: LinkTransport;
  /** Where files are written; absent: the recorder's thread. */
  readonly recorder?: (data: Omit<RecorderWorkerData, 'ring'>) => LaunchRecorder;
}

export interface GatewayOptions {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Log;
  /** Absent: nothing of the log is in memory, and its level stays. */
  readonly logControl?: LogControl;
  /** Source of `config`. Absent: it cannot be read again. */
  readonly configSource?: ConfigText;
  /** Why the settings of the console do not count. Absent: they do. */
  readonly ignoredSettings?: IgnoredSettings;
  /** Begins to end this gateway and start another in its place. Absent: it cannot. */
  readonly onRestart?: () => void;
  /** Absent: the real ones. */
  readonly surroundings?: Surroundings;
}
