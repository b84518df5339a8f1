/** The gateway's certificates for evidence: the current one, and the older ones by which older recordings are checked. */

import { type KeyObject, X509Certificate } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { SigningCertificate, SigningCertificateRepository } from '../store/signing-certificate.ts';
import { pemOf, selfSignedCertificate } from './certificate.ts';
import { type SigningKey, signingKey } from './signing-key.ts';

export interface SigningCertificatesOptions {
  readonly certificates: SigningCertificateRepository;
  /** The keys are derived from it. */
  readonly secret: Uint8Array;
  readonly clock: Clock;
}

export class SigningCertificates {
  readonly #options: SigningCertificatesOptions;

  constructor(options: SigningCertificatesOptions) {
    this.#options = options;
  }

  /** Oldest first. Fails like the store. */
  list(): Promise<SigningCertificate[]> {
    return this.#options.certificates.list();
  }

  /** The certificate to sign with now; the first one is created. Fails like the store. */
  async current(): Promise<SigningCertificate> {
    return (await this.list()).at(-1) ?? this.#add(1);
  }

  /** A new key with its certificate. Older certificates stay. Fails like the store. */
  async renew(): Promise<SigningCertificate> {
    return this.#add((await this.current()).generation + 1);
  }

  keyOf({ generation }: Pick<SigningCertificate, 'generation'>): SigningKey {
    return signingKey(this.#options.secret, generation);
  }

  /** The public keys of all certificates, by the hexadecimal names of the keys. Fails like the store. */
  async publicKeys(): Promise<ReadonlyMap<string, KeyObject>> {
    const all = await this.list();
    return new Map(all.map(({ keyName, pem }) => [keyName, new X509Certificate(pem).publicKey]));
  }

  /** If another node is faster, its certificate counts: the key is the same. */
  #add(generation: number): Promise<SigningCertificate> {
    const { certificates, secret, clock } = this.#options;
    const { key, publicKey, keyName } = signingKey(secret, generation);
    const createdAtMs = clock.epochMs();
    const name = keyName.toString('hex');
    const commonName = `Sluice evidence ${name}`;
    const pem = pemOf(selfSignedCertificate({ commonName, key, publicKey, nowEpochMs: createdAtMs }));
    return certificates.add({ generation, keyName: name, pem, createdAtMs });
  }
}
