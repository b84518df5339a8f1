/** A stream of a camera that opens nothing. */

import type { GatewayError } from '../../core/errors.ts';
import type { CameraRole } from '../../stream/camera-ownership.ts';
import type { NodeLink } from '../links/node-link.ts';
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

  prepare(): void {
    throw new Error('a fake cannot be prepared');
  }

  endPrepared(): void {
    // Nothing is prepared.
  }

  play(role: CameraRole | null, link: NodeLink | null): void {
    this.roles.push(role);
    this.played.push(link === null ? String(role) : `${role} of ${link.peer.nodeId}`);
  }

  fail({ code }: GatewayError): void {
    this.errors.push(code);
  }
}
