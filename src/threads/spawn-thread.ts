/** Starts threads of Node.js. The only file that does. */

import { type ResourceLimits, type Transferable, Worker } from 'node:worker_threads';

export interface ThreadStart {
  /** Shown to people who look at the process. */
  readonly name: string;
  readonly module: URL;
  /** Read by the module as `workerData`. */
  readonly data: unknown;
  /** The parts of `data` that belong to the thread from now on. Default: nothing. */
  readonly moved?: readonly Transferable[];
  readonly limits?: ResourceLimits;
  /** It does not keep the process alive. Default: it does. */
  readonly isDaemon?: boolean;
}

export interface ThreadEvents<Notice> {
  onNotice(notice: Notice): void;
  /** The thread ended, for whatever reason. Called once. `cause`: the error that it threw, if any. */
  onEnd(cause: unknown): void;
}

/** A thread that takes and sends plain messages. */
export interface MessageThread<Message> {
  post(message: Message, moved?: readonly Transferable[]): void;
  /** Ends it immediately; `onEnd` follows. Returns a promise of its end, or nothing. */
  terminate(): unknown;
}

/** Without the options of the process, such as those of a debugger. */
export function spawnThread({ name, module, data, moved = [], limits, isDaemon }: ThreadStart): Worker {
  const worker = new Worker(module, {
    name,
    workerData: data,
    transferList: [...moved],
    execArgv: [],
    ...(limits === undefined ? {} : { resourceLimits: limits }),
  });
  if (isDaemon === true) worker.unref();
  return worker;
}

/** Calls `ended` when the thread has ended, with the error that it threw, if any. */
export function whenEnded(
  worker: Pick<Worker, 'once'>,
  ended: (cause: unknown, exitCode: number) => void,
): void {
  let cause: unknown;
  worker.once('error', (thrown) => {
    cause = thrown;
  });
  worker.once('exit', (exitCode) => ended(cause, exitCode));
}

export function spawnMessageThread<Message, Notice>(
  start: ThreadStart,
  events: ThreadEvents<Notice>,
): MessageThread<Message> {
  const worker = spawnThread(start);
  worker.on('message', (notice: Notice) => events.onNotice(notice));
  whenEnded(worker, (cause) => events.onEnd(cause));
  return {
    post: (message, moved = []) => worker.postMessage(message, moved),
    terminate: () => worker.terminate(),
  };
}
