/** The changelog of a release: what is under "Unreleased" moves under its version. */

const UNRELEASED = '## [Unreleased]';

/** The changelog with everything unreleased under `version`. Throws if nothing is, or if the version is there already. */
export function releaseChangelog(changelog: string, version: string, date: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) throw new Error(`${date}: expected a date such as 2027-01-31`);
  if (sectionOf(changelog, version) !== null) throw new Error(`CHANGELOG.md already has ${version}`);
  if (entriesOf(changelog, 'Unreleased').length === 0)
    throw new Error('CHANGELOG.md has no change under Unreleased');
  return changelog.replace(`${UNRELEASED}\n`, `${UNRELEASED}\n\n## [${version}] - ${date}\n`);
}

/** Why the changelog does not fit a release of `version`; null if it does. */
export function changelogProblem(changelog: string, version: string): string | null {
  if (entriesOf(changelog, version).length === 0) return `CHANGELOG.md has no change under ${version}`;
  if (entriesOf(changelog, 'Unreleased').length > 0) return 'CHANGELOG.md has changes under Unreleased';
  return null;
}

/** The lines that describe changes. */
function entriesOf(changelog: string, name: string): string[] {
  return (sectionOf(changelog, name) ?? '').split('\n').filter((line) => line.startsWith('- '));
}

function sectionOf(changelog: string, name: string): string | null {
  const sections = changelog.split(/^(?=## \[)/m);
  return sections.find((section) => section.startsWith(`## [${name}]`)) ?? null;
}
