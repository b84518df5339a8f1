/** Runs code inside a thread of a test gateway, through the inspector of its process, to imitate a defect there. */

import { once } from 'node:events';
import type { TestGateway } from './gateway.ts';

/** Node's arguments for a gateway whose threads can be reached. */
export const INSPECTED: readonly string[] = ['--inspect=127.0.0.1:0'];

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly sessionId: string; readonly workerInfo?: { readonly title: string } };
}

/** Evaluates `code` in the thread whose name ends so. Resolves when it was sent: the thread may not live to answer. */
export async function runInThread(gateway: TestGateway, threadName: string, code: string): Promise<void> {
  const listening = await gateway.child.line(/^Debugger listening on ws:/);
  const socket = new WebSocket(listening.replace(/^.* on /, ''));
  await once(socket, 'open');
  try {
    const sessionId = await attach(socket, threadName);
    const evaluate = { id: 1, method: 'Runtime.evaluate', params: { expression: code } };
    const params = { sessionId, message: JSON.stringify(evaluate) };
    await call(socket, 2, 'NodeWorker.sendMessageToWorker', params);
  } finally {
    // While someone is attached, the process would not end.
    socket.close();
    await once(socket, 'close');
  }
}

/** The session with that thread. */
function attach(socket: WebSocket, threadName: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const titles: string[] = [];
    socket.addEventListener('message', ({ data }) => {
      const { id, method, params } = JSON.parse(String(data)) as Message;
      if (method === 'NodeWorker.attachedToWorker') {
        const title = params?.workerInfo?.title ?? '';
        titles.push(title);
        if (title.endsWith(threadName)) resolve(params!.sessionId);
      }
      // Those that run were announced before the response.
      if (id === 1) reject(new Error(`no thread ${threadName} among ${titles.join(', ')}`));
    });
    socket.send(
      JSON.stringify({ id: 1, method: 'NodeWorker.enable', params: { waitForDebuggerOnStart: false } }),
    );
  });
}

function call(socket: WebSocket, id: number, method: string, params: object): Promise<void> {
  return new Promise((resolve) => {
    socket.addEventListener('message', ({ data }) => {
      if ((JSON.parse(String(data)) as Message).id === id) resolve();
    });
    socket.send(JSON.stringify({ id, method, params }));
  });
}
