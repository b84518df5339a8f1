/** The first message in both directions, and what must fit before anything else is said. */

import { type ErrorDefinition, GatewayError } from '../../core/errors.ts';
import { LINK_ERRORS } from './errors.ts';
import type { FrameChannel } from './frame-channel.ts';
import { type ExpectedNode, FRAME_LIMITS, type Frame, type Greeting, malformed } from './frame-header.ts';

/** The node's own part. */
export type NodeIdentity = Omit<Greeting, 'version'>;

/** TLS handshake and greeting. */
export const OPEN_MS = 3_000;

export interface Greeted {
  /** Sets the channel's sink: the next frame may follow immediately. */
  opened(peer: ExpectedNode): void;
  /** The channel is over. */
  failed(error: GatewayError): void;
}

/**
 * Sends this node's greeting. Reports the peer once its greeting has come and fits; otherwise reports the reason, which the peer
 * has received too. The accepting node speaks second: its greeting means that the link is open.
 */
export function greet(
  channel: FrameChannel,
  own: Greeting,
  expected: ExpectedNode | null,
  greeted: Greeted,
): void {
  const isConnecting = expected !== null;
  channel.sink = {
    onEnd: (error) => greeted.failed(error),
    // None passes the limits.
    onRecord: (_, media) => media.release(),
    onFrame: (frame) => {
      const peer = checkedPeer(channel, frame, own, expected);
      if (peer === null) return;
      channel.limits = FRAME_LIMITS;
      if (!isConnecting) channel.write({ type: 'greeting', ...own, expected: null });
      greeted.opened(peer);
    },
  };
  if (isConnecting) channel.write({ type: 'greeting', ...own, expected });
}

/** null: it does not fit, and the channel is over. */
function checkedPeer(
  channel: FrameChannel,
  { header }: Frame,
  own: Greeting,
  expected: ExpectedNode | null,
): ExpectedNode | null {
  if (header.type !== 'greeting') {
    channel.endTelling(malformed('the first frame is not a greeting'));
    return null;
  }
  const mismatch =
    expected === null
      ? greetingMismatch(header, own, header.expected)
      : greetingMismatch(own, header, expected);
  if (mismatch === null) return { nodeId: header.nodeId, runId: header.runId };
  channel.endTelling(mismatch);
  return null;
}

/** The same on both sides. `expected`: whom the connecting node wants. */
export function greetingMismatch(
  connecting: Greeting,
  accepting: Greeting,
  expected: ExpectedNode | null,
): GatewayError | null {
  const differ = (definition: ErrorDefinition, a: string | number, b: string | number) =>
    new GatewayError(definition, { connecting: a, accepting: b });
  if (connecting.version !== accepting.version) {
    return differ(LINK_ERRORS.LINK_OTHER_VERSION, connecting.version, accepting.version);
  }
  if (connecting.cluster !== accepting.cluster) {
    return differ(LINK_ERRORS.LINK_OTHER_CLUSTER, connecting.cluster, accepting.cluster);
  }
  const { nodeId, runId } = accepting;
  if (connecting.nodeId === nodeId) {
    const definition =
      connecting.runId === runId ? LINK_ERRORS.LINK_TO_ITSELF : LINK_ERRORS.LINK_SAME_NODE_ID;
    return new GatewayError(definition, { nodeId });
  }
  if (expected === null) return null;
  if (expected.nodeId !== nodeId) {
    return new GatewayError(LINK_ERRORS.LINK_OTHER_NODE, { expected: expected.nodeId, accepting: nodeId });
  }
  if (expected.runId === runId) return null;
  return new GatewayError(LINK_ERRORS.LINK_OTHER_RUN, { nodeId, expected: expected.runId, accepting: runId });
}
