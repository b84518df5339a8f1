/**
 * `npm run docs`: writes the pages of docs/reference that are generated from code, the sample configuration, the pages
 * of docs/spec that are generated from its facts, the dashboard in deploy, and the bill of materials with the notices.
 * `--check` writes nothing and fails if a page is stale.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ENDPOINTS } from '../src/api/endpoints.ts';
import { OAUTH_OPERATIONS } from '../src/api/oauth/oauth-operations.ts';
import { renderConfigReference } from '../src/app/config/render-reference.ts';
import { renderSampleConfig } from '../src/app/config/render-sample.ts';
import { renderMetricsReference } from '../src/app/metrics/metrics.ts';
import { openApiDocument } from '../src/http/openapi/openapi.ts';
import { renderApiReference } from './reference/api-reference.ts';
import { renderCameraReference } from './reference/camera-reference.ts';
import { CONSOLE_CALLS, renderConsoleCalls } from './reference/console-calls.ts';
import { renderDashboard } from './reference/dashboard.ts';
import { renderErrorReference } from './reference/error-reference.ts';
import { renderLimitReference } from './reference/limit-reference.ts';
import { renderScalingGuide } from './reference/unit-costs.ts';
import {
  type ApiDocument,
  readFacts,
  renderEnumerations,
  renderSpecifiedEndpoints,
  renderSpecifiedTypes,
} from './specification.ts';
import { renderNotices } from './supply-chain/notices.ts';
import { renderSbom } from './supply-chain/sbom.ts';

const ROOT = join(import.meta.dirname, '..');
const FACTS = readFacts(ROOT);
const PAGES: Readonly<Record<string, () => string>> = {
  'docs/reference/configuration.md': renderConfigReference,
  'docs/reference/api.md': renderApiReference,
  'docs/reference/cameras.md': renderCameraReference,
  'docs/reference/errors.md': () => renderErrorReference(),
  'docs/reference/limits.md': renderLimitReference,
  'docs/reference/metrics.md': renderMetricsReference,
  'docs/guide/scaling.md': () => renderScalingGuide(ROOT),
  'docs/guide/sluice.example.yaml': renderSampleConfig,
  'deploy/grafana/sluice.json': renderDashboard,
  [CONSOLE_CALLS]: () => renderConsoleCalls(ROOT),
  'docs/spec/endpoints.md': () => renderSpecifiedEndpoints(FACTS, apiDocument()),
  'docs/spec/types.md': () => renderSpecifiedTypes(FACTS),
  'docs/spec/enumerations.md': () => renderEnumerations(FACTS),
  'sbom.cdx.json': () => renderSbom(ROOT),
  'THIRD-PARTY-NOTICES.txt': () => renderNotices(ROOT),
};

const isCheck = process.argv.includes('--check');
const stale: string[] = [];
for (const [page, render] of Object.entries(PAGES)) {
  const file = join(ROOT, page);
  const text = render();
  if (text === read(file)) continue;
  stale.push(page);
  if (isCheck) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
if (isCheck && stale.length > 0) {
  process.stderr.write(`Stale: ${stale.join(', ')}. Run \`npm run docs\` and commit the result.\n`);
  process.exit(1);
}
process.stdout.write(
  stale.length === 0 ? 'All generated pages are current.\n' : `Written: ${stale.join(', ')}\n`,
);

function apiDocument(): ApiDocument {
  return openApiDocument(ENDPOINTS, OAUTH_OPERATIONS, 'https://api.example.com') as unknown as ApiDocument;
}

/** null if the file does not exist yet. */
function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
