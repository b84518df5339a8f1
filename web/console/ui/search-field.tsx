/** A field that narrows a list while one types. */

export function SearchField({
  label,
  value,
  onValue,
}: {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      onInput={({ currentTarget }) => onValue(currentTarget.value)}
    />
  );
}

/** Whether a text has all words that were typed, in any order and case. */
export function matcherOf(typed: string): (text: string) => boolean {
  const words = typed.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return (text) => {
    const searched = text.toLocaleLowerCase();
    return words.every((word) => searched.includes(word));
  };
}
