/** Credentials and revocations: reported by the system that manages them, read here. */

import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { firstDifference } from '../../core/first-difference.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { Secret } from '../../core/secret.ts';
import { type ReportOutcome, reportRecords } from '../../store/report-records.ts';
import type { Resource, ResourceRepository } from '../../store/resource.ts';
import type { Store } from '../../store/store.ts';
import {
  ACCESS_REVOCATIONS,
  type AccessRevocation,
  CREDENTIALS,
  type Credential,
  type CredentialBody,
  type CredentialFields,
  type RevocationBody,
} from './credential.ts';
import { ACCESS_CONTROL_ERRORS } from './errors.ts';

export interface ReportedCredential extends CredentialFields {
  readonly uuid: Ruuid;
  readonly type: CredentialBody['type'];
  readonly value: string;
}

export interface ReportedRevocation extends RevocationBody {
  readonly uuid: Ruuid;
  readonly name: string;
  readonly locationUuid?: Ruuid;
}

export interface CredentialServiceOptions {
  readonly store: Pick<Store, 'resources'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class CredentialService {
  readonly #credentials: ResourceRepository<CredentialBody>;
  readonly #revocations: ResourceRepository<RevocationBody>;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor({ store, clock }: CredentialServiceOptions) {
    this.#credentials = store.resources.of(CREDENTIALS);
    this.#revocations = store.resources.of(ACCESS_REVOCATIONS);
    this.#clock = clock;
  }

  /**
   * Stores at most 1,000 credentials. A known one takes the fields of the report and keeps the rest. Resolves with one
   * outcome per report.
   */
  reportCredentials(orgUuid: Ruuid, reported: readonly ReportedCredential[]): Promise<ReportOutcome[]> {
    return this.#report(orgUuid, this.#credentials, reported, {
      partsOf: ({ uuid: _uuid, value, ...given }, known) => ({
        name: '',
        parentUuid: null,
        body: { ...known?.body, ...given },
        secret: new Secret(value),
      }),
      fieldsOf: ({ body, secret }) => ({ ...body, value: secret?.reveal() }),
    });
  }

  /** The same for revocations. */
  reportRevocations(orgUuid: Ruuid, reported: readonly ReportedRevocation[]): Promise<ReportOutcome[]> {
    return this.#report(orgUuid, this.#revocations, reported, {
      partsOf: ({ uuid: _uuid, name, locationUuid, ...given }, known) => ({
        name,
        parentUuid: locationUuid ?? known?.parentUuid ?? null,
        body: { ...known?.body, ...given },
        secret: null,
      }),
      fieldsOf: ({ name, parentUuid, body }) => ({ ...body, name, locationUuid: parentUuid }),
    });
  }

  /** Fails CSN_CREDENTIAL_NOT_FOUND, also for a credential of another type. */
  async findStandardCsn(orgUuid: Ruuid, uuid: Ruuid): Promise<Credential> {
    const credential = await this.#credentials.find(orgUuid, uuid);
    if (credential?.body.type !== 'STANDARD_CSN') {
      throw new GatewayError(ACCESS_CONTROL_ERRORS.CSN_CREDENTIAL_NOT_FOUND, { credential: uuid });
    }
    return credential;
  }

  /** In the order of their first reports. `isWanted`: decides by the report. */
  async listOfUser(
    orgUuid: Ruuid,
    userUuid: Ruuid,
    isWanted: (body: CredentialBody) => boolean,
  ): Promise<Credential[]> {
    const all = await this.#credentials.list(orgUuid);
    return all.filter(({ body }) => body.userUuid === userUuid && isWanted(body));
  }

  listRevocations(orgUuid: Ruuid): Promise<AccessRevocation[]> {
    return this.#revocations.list(orgUuid);
  }

  #report<Row extends { readonly uuid: Ruuid }, Body extends object>(
    orgUuid: Ruuid,
    repository: ResourceRepository<Body>,
    reported: readonly Row[],
    { partsOf, fieldsOf }: RecordFields<Row, Body>,
  ): Promise<ReportOutcome[]> {
    const nowMs = this.#clock.epochMs();
    const take = (known: Resource<Body> | null, row: Row) => {
      const { uuid } = row;
      const createdAtMs = known?.createdAtMs ?? nowMs;
      return {
        record: { ...partsOf(row, known), uuid, orgUuid, createdAtMs, updatedAtMs: nowMs },
        isAccepted: known === null,
        kept: null,
        changed: known === null ? null : firstDifference(row, { ...fieldsOf(known), uuid }),
      };
    };
    return reportRecords(repository, orgUuid, reported, ({ uuid }) => uuid, take);
  }
}

/** How the fields of a report are stored in its record. */
interface RecordFields<Row, Body extends object> {
  partsOf(
    row: Row,
    known: Resource<Body> | null,
  ): Pick<Resource<Body>, 'name' | 'parentUuid' | 'body' | 'secret'>;
  /** The reverse. */
  fieldsOf(record: Resource<Body>): object;
}
