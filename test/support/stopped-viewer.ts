/**
 * A real-time viewer in a process of its own, which can be stopped: then it does not read its connection or answer pings.
 * It prints a line per frame: `K` or `d`, when it was taken and when it came, in epoch milliseconds.
 */

import { Child } from './child.ts';

const PROGRAM = `
  const socket = new WebSocket(process.argv[1]);
  socket.binaryType = 'arraybuffer';
  socket.onmessage = ({ data }) => {
    const view = new DataView(data);
    console.log(view.getUint8(12) === 0 ? 'K' : 'd', Number(view.getBigUint64(4)), Date.now());
  };
  socket.onclose = ({ code, reason }) => console.log('closed', code, reason);
`;

export interface SeenFrame {
  readonly isKey: boolean;
  readonly takenEpochMs: number;
  readonly cameEpochMs: number;
}

export class StoppedViewer {
  readonly #child: Child;

  constructor(url: string) {
    this.#child = new Child(process.execPath, ['-e', PROGRAM, url.replace(/^http/, 'ws')]);
  }

  frames(): SeenFrame[] {
    return this.#child.lines.flatMap((line) => {
      const [kind, takenEpochMs, cameEpochMs] = line.split(' ');
      if (kind !== 'K' && kind !== 'd') return [];
      return [{ isKey: kind === 'K', takenEpochMs: Number(takenEpochMs), cameEpochMs: Number(cameEpochMs) }];
    });
  }

  stop(): void {
    this.#child.process.kill('SIGSTOP');
  }

  goOn(): void {
    this.#child.process.kill('SIGCONT');
  }

  end(): Promise<void> {
    return this.#child.end('SIGKILL');
  }
}
