/** Certificates of the keys that sign recordings and cases (signing-certificate.ts). */

import type { Migration } from './migration.ts';

export const signingCertificates: Migration = {
  version: 45,
  name: 'certificates of evidence keys',
  sql: `
create table signing_certificates (
  generation integer primary key,
  key_name text not null,
  pem text not null,
  created_at_ms integer not null
) strict;
`,
};
