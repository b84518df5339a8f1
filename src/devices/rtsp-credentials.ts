/** Saved logins for cameras: tried on a caller's request, never shown again. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import type { Resource, ResourceRepository } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { DEVICE_ERRORS } from './errors.ts';
import { RTSP_CREDENTIALS, type RtspCredentialBody, type RtspLogin } from './rtsp-endpoint.ts';

const MAX_CREDENTIALS_PER_ORG = LIMITS.rtspCredentials.perOrganization;

export class RtspCredentials {
  readonly #repository: ResourceRepository<RtspCredentialBody>;
  readonly #clock: Clock;

  constructor(store: Pick<Store, 'resources'>, clock: Clock) {
    this.#repository = store.resources.of(RTSP_CREDENTIALS);
    this.#clock = clock;
  }

  /** Resolves with its uuid. Fails TOO_MANY_RTSP_CREDENTIALS. */
  async create(orgUuid: Ruuid, body: RtspCredentialBody, password: string): Promise<Ruuid> {
    const uuid = newRuuid();
    const nowMs = this.#clock.epochMs();
    const credential: Resource<RtspCredentialBody> = {
      uuid,
      orgUuid,
      name: '',
      parentUuid: null,
      body,
      secret: new Secret(password),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    await this.#repository.change(orgUuid, uuid, () => credential, {
      atMost: MAX_CREDENTIALS_PER_ORG,
      within: 'organization',
      full: () => new GatewayError(DEVICE_ERRORS.TOO_MANY_RTSP_CREDENTIALS),
    });
    return uuid;
  }

  /** In creation order. */
  list(orgUuid: Ruuid): Promise<Resource<RtspCredentialBody>[]> {
    return this.#repository.list(orgUuid);
  }

  /** Fails RTSP_CREDENTIAL_NOT_FOUND. */
  async remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    if (!(await this.#repository.remove(orgUuid, uuid))) {
      throw new GatewayError(DEVICE_ERRORS.RTSP_CREDENTIAL_NOT_FOUND, { credential: uuid });
    }
  }

  /** The logins themselves, the oldest first. */
  async logins(orgUuid: Ruuid): Promise<RtspLogin[]> {
    const saved = await this.#repository.list(orgUuid);
    return saved.map(({ body, secret }) => ({
      username: body.username,
      password: secret ?? new Secret(''),
    }));
  }
}
