/** The configuration reference page, generated from the schema. */

import { variableName } from './environment.ts';
import { CONFIG_SCHEMA } from './schema.ts';
import type { Group, RecordList, SchemaNode, Setting } from './schema-nodes.ts';

const INTRODUCTION = `# Configuration

Sluice reads \`sluice.yaml\` (\`--config FILE\`, or \`SLUICE_CONFIG\`, or \`./sluice.yaml\` if it exists) and the environment.
The environment takes precedence over the settings that were edited in the console (\`console/updateSettings\`), and those take
precedence over the file. Every key has a variable: its path in upper snake case, prefixed with \`SLUICE_\`. Lists of records
can only be in the file. In a variable, separate the values of a list with commas. Write durations as \`500ms\`, \`2s\`,
\`10m\`, \`24h\` or \`30d\`, and sizes as \`50MiB\` or \`2GB\`. Relative paths start at the working directory. If a key or value is
invalid, the gateway does not start and prints a message that names it. SIGHUP, or \`console/reloadConfig\` of the API, reads the
file and the settings of the console again and applies locations, NVRs and cameras, \`log.level\`, and how long \`retention\` keeps events, crossings and the audit
trail; everything else needs a restart. If anything in the file is invalid, nothing changes.

Not part of the file: \`SLUICE_SECRET_KEY\` (64 hexadecimal digits) replaces \`secret.key\` in the data folder, for a
standby that uses the same database.
`;

/** Markdown for docs/reference/configuration.md. */
export function renderConfigReference(): string {
  const single = Object.entries(CONFIG_SCHEMA.children).filter(([, node]) => node.node === 'setting');
  const sections = Object.entries(CONFIG_SCHEMA.children).filter(([, node]) => node.node !== 'setting');
  const parts = [
    INTRODUCTION,
    '## Single keys\n',
    renderTable(single, []),
    ...sections.flatMap(([key, node]) => renderSection(key, node as Group | RecordList)),
  ];
  return `${parts.join('\n')}`;
}

function renderSection(key: string, node: Group | RecordList): string[] {
  const group = node.node === 'list' ? node.item : node;
  const keyPath = node.node === 'list' ? null : [key];
  return [`## ${key}\n`, `${node.description}\n`, renderTable(Object.entries(group.children), keyPath)];
}

/** `above`: the path of the keys, null for keys that have no variables. */
function renderTable(entries: [string, SchemaNode][], above: readonly string[] | null): string {
  const head =
    above === null
      ? ['Key', 'Value', 'Default', 'Meaning']
      : ['Key', 'Value', 'Default', 'Variable', 'Meaning'];
  const rows = settingsIn(entries, []).map(([path, node]) => {
    const key = path.join('.');
    const cells = [`\`${[...(above ?? []), key].join('.')}\``, node.type.expected, describeDefault(node)];
    if (above !== null) cells.push(`\`${variableName([...above, ...path])}\``);
    return [...cells, node.description];
  });
  const lines = [head, head.map(() => '---'), ...rows].map(
    (cells) => `| ${cells.map(escapeCell).join(' | ')} |`,
  );
  return `${lines.join('\n')}\n`;
}

/** Also those of groups within groups. */
function settingsIn(
  entries: readonly [string, SchemaNode][],
  above: readonly string[],
): [path: readonly string[], node: Setting<unknown>][] {
  return entries.flatMap(([key, node]): [readonly string[], Setting<unknown>][] => {
    const path = [...above, key];
    if (node.node === 'setting') return [[path, node]];
    return node.node === 'group' ? settingsIn(Object.entries(node.children), path) : [];
  });
}

function describeDefault(node: Setting<unknown>): string {
  if (node.isRequired) return '(required)';
  if (node.defaultText === null) return `(${node.absent})`;
  return node.defaultText === '' ? '(none)' : `\`${node.defaultText}\``;
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
