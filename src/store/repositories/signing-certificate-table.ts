/** Certificates of evidence keys in their table. */

import { SIGNING_CERTIFICATES } from '../entity-tables.ts';
import type { SigningCertificate, SigningCertificateRepository } from '../signing-certificate.ts';
import type { SqlDatabase } from '../sql-executor.ts';

export class SigningCertificateTable implements SigningCertificateRepository {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  async list(): Promise<SigningCertificate[]> {
    const query = this.#database.build.selectFrom('signing_certificates').selectAll().orderBy('generation');
    const [{ rows }] = await this.#database.executor.run(query.compile());
    return rows.map(SIGNING_CERTIFICATES.fromRow);
  }

  async add(certificate: SigningCertificate): Promise<SigningCertificate> {
    const { build, executor } = this.#database;
    const [, { rows }] = await executor.run(
      build
        .insertInto('signing_certificates')
        .values(SIGNING_CERTIFICATES.toRow(certificate))
        .onConflict((conflict) => conflict.column('generation').doNothing())
        .compile(),
      build
        .selectFrom('signing_certificates')
        .selectAll()
        .where('generation', '=', certificate.generation)
        .compile(),
    );
    return SIGNING_CERTIFICATES.fromRow(rows[0]!);
  }
}
