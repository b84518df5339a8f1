/**
 * The organization's own keys for SAML, sealed in the database. A renewal has two: the one from before still signs, and both decrypt, until
 * an admin has given the new certificate to every provider and finishes it.
 */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import {
  type Resource,
  type ResourceKind,
  type ResourceRepository,
  resourceKind,
} from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { SAML_ERRORS } from './errors.ts';
import { createSamlKey } from './saml-keys.ts';
import type { SamlKeys } from './saml-party.ts';

interface SamlKeyBody {
  /** In PEM: the one in use, then the new one. The keys are in the secret, in the same order. */
  readonly certificates: readonly string[];
}

export const SAML_KEYS: ResourceKind<SamlKeyBody> = resourceKind('samlKey');
const SEPARATOR = '\0';

export interface SamlKeyStoreOptions {
  readonly store: Pick<Store, 'resources'>;
  readonly clock: Pick<Clock, 'epochMs'>;
  /** The host of the console, for the certificate's name. */
  readonly host: string;
  /** Default: 3072. */
  readonly keyBits?: number | undefined;
}

export class SamlKeyStore {
  readonly #options: SamlKeyStoreOptions;
  readonly #rows: ResourceRepository<SamlKeyBody>;

  constructor(options: SamlKeyStoreOptions) {
    this.#options = options;
    this.#rows = options.store.resources.of(SAML_KEYS);
  }

  /** The organization's keys, the first one made when it is needed: of several gateways, the first one's. */
  async keys(orgUuid: Ruuid): Promise<SamlKeys> {
    const known = await this.#rows.find(orgUuid, keyUuid(orgUuid));
    return keysOf(known ?? (await this.#change(orgUuid, (row, made) => row ?? made)));
  }

  /** Fails SAML_KEY_BEING_RENEWED. */
  async renew(orgUuid: Ruuid): Promise<SamlKeys> {
    await this.keys(orgUuid);
    return keysOf(
      await this.#change(orgUuid, (row, made) => {
        if (row === null) return made;
        if (row.body.certificates.length > 1) throw new GatewayError(SAML_ERRORS.SAML_KEY_BEING_RENEWED);
        const certificates = [...row.body.certificates, ...made.body.certificates];
        const secret = new Secret([row.secret!.reveal(), made.secret!.reveal()].join(SEPARATOR));
        return { ...row, body: { certificates }, secret, updatedAtMs: made.updatedAtMs };
      }),
    );
  }

  /** The key from before no longer counts. Fails SAML_KEY_NOT_RENEWED. */
  async finishRenewal(orgUuid: Ruuid): Promise<SamlKeys> {
    const nowMs = this.#options.clock.epochMs();
    const { after } = await this.#rows.change(orgUuid, keyUuid(orgUuid), (row) => {
      if (row === null || row.body.certificates.length < 2) {
        throw new GatewayError(SAML_ERRORS.SAML_KEY_NOT_RENEWED);
      }
      const secret = new Secret(row.secret!.reveal().split(SEPARATOR).at(-1)!);
      return { ...row, body: { certificates: row.body.certificates.slice(-1) }, secret, updatedAtMs: nowMs };
    });
    return keysOf(after!);
  }

  async #change(
    orgUuid: Ruuid,
    next: (row: Resource<SamlKeyBody> | null, made: Resource<SamlKeyBody>) => Resource<SamlKeyBody>,
  ): Promise<Resource<SamlKeyBody>> {
    const { clock, host, keyBits } = this.#options;
    const nowMs = clock.epochMs();
    const { privateKeyPem, certificatePem } = await createSamlKey(host, nowMs, keyBits);
    const made: Resource<SamlKeyBody> = {
      uuid: keyUuid(orgUuid),
      orgUuid,
      name: '',
      parentUuid: null,
      body: { certificates: [certificatePem] },
      secret: new Secret(privateKeyPem),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    const { after } = await this.#rows.change(orgUuid, made.uuid, (row) => next(row, made));
    return after!;
  }
}

function keyUuid(orgUuid: Ruuid): Ruuid {
  return deriveRuuid('saml key', orgUuid);
}

function keysOf({ body, secret }: Resource<SamlKeyBody>): SamlKeys {
  const privateKeys = secret!.reveal().split(SEPARATOR);
  const keys = body.certificates.map((certificatePem, index) => ({
    certificatePem,
    privateKeyPem: privateKeys[index]!,
  }));
  return keys as unknown as SamlKeys;
}
