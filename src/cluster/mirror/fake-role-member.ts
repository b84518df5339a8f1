/** A stream of a camera that opens nothing. */

import type { GatewayError } from '../../core/errors.ts';
import type { CameraRole } from '../../stream/numbering/camera-ownership.ts';
import type { NodeLink } from '../links/node-link.ts';
import type { PreparedEvents } from '../local-stream/local-stream.ts';
import type { RoleMember } from './cluster-camera.ts';

export class FakeRoleMember implements RoleMember {
  readonly profile = 'main';
  readonly engine = 'direct';
  readonly local = null;
  readonly prepared = null;
  readonly roles: (CameraRole | null)[] = [];
  /** With the node that is mirrored. */
  readonly played: string[] = [];
  readonly errors: string[] = [];
  /** Events of the camera that is open before this node owns it; null: it is not open. */
  preparedEvents: PreparedEvents | null = null;
  endedPrepared = 0;
  onPlay: (role: CameraRole | null, link: NodeLink | null) => void = () => undefined;

  prepare(events: PreparedEvents): void {
    this.preparedEvents = events;
  }

  endPrepared(): void {
    if (this.preparedEvents !== null) this.endedPrepared++;
    this.preparedEvents = null;
  }

  play(role: CameraRole | null, link: NodeLink | null): void {
    if (role === 'owner') this.preparedEvents = null;
    this.roles.push(role);
    this.played.push(link === null ? String(role) : `${role} of ${link.peer.nodeId}`);
    this.onPlay(role, link);
  }

  fail({ code }: GatewayError): void {
    this.errors.push(code);
  }
}
