/** The sample file, generated from the schema: every key with its default, or an example after `#`. */

import { CONFIG_SCHEMA } from './schema.ts';
import type { Group, RecordList, SchemaNode, Setting } from './schema-nodes.ts';

const HEADER = `# Sluice: sample configuration. Copy it to sluice.yaml and change what you need; everything is optional.
# Lines without "#" show defaults. Lines with "#" and no space after it show keys that have no default.
`;

/** YAML for docs/guide/sluice.example.yaml. */
export function renderSampleConfig(): string {
  const parts = Object.entries(CONFIG_SCHEMA.children).map(([key, node]) => renderNode(key, node));
  return [HEADER, ...parts].join('\n');
}

function renderNode(key: string, node: SchemaNode): string {
  if (node.node === 'setting') return renderSetting(key, node, '');
  return node.node === 'group' ? renderGroup(key, node, '') : renderList(key, node);
}

function renderGroup(key: string, node: Group, indent: string): string {
  const children = Object.entries(node.children).map(([childKey, child]) => {
    if (child.node === 'setting') return renderSetting(childKey, child, `${indent}  `);
    return child.node === 'group' ? renderGroup(childKey, child, `${indent}  `) : '';
  });
  return `${indent}# ${node.description}\n${indent}${key}:\n${children.join('')}`;
}

function renderSetting(key: string, node: Setting<unknown>, indent: string): string {
  const comment = node.absent === null ? node.description : `${node.description} If absent: ${node.absent}.`;
  return `${indent}# ${comment}\n${indent}${renderLine(key, node)}\n`;
}

/** The first key of a record follows its dash. */
function renderList(key: string, node: RecordList): string {
  const lines = settingsOf(node.item).map(([childKey, child], i) => {
    const value = quote(child.example ?? child.defaultText ?? '');
    return `#${i === 0 ? '  - ' : '    '}${childKey}: ${value} # ${child.description}`;
  });
  return `# ${node.description}\n#${key}:\n${lines.join('\n')}\n`;
}

function renderLine(key: string, node: Setting<unknown>): string {
  if (node.defaultText === null) return `#${key}: ${quote(node.example ?? '')}`;
  return `${key}: ${node.defaultText === '' ? '[]' : quote(node.defaultText)}`;
}

function settingsOf(node: Group): [string, Setting<unknown>][] {
  return Object.entries(node.children).flatMap(([key, child]) =>
    child.node === 'setting' ? [[key, child] as [string, Setting<unknown>]] : [],
  );
}

/** Quoted where YAML would not read it as the same text. */
function quote(text: string): string {
  return /^[\w.+/-]+$/.test(text) ? text : JSON.stringify(text);
}
