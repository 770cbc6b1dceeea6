// Why a mutant of the core may survive: it is an equivalent program, whatever a core is asked. Read by main.ts, which fails when
// a survivor has no reason here. A reason identifies lines by their text, so it stays valid when they move.
import type { Mutant } from './sites.ts';

interface Reason {
  readonly file: RegExp;
  /** Matches the line and its change, as `text ⇒ from → to`. */
  readonly change: RegExp;
  readonly text: string;
}

const equal = (file: RegExp, change: RegExp, text: string): Reason => ({ file, change, text });

/** The reason for changes that merely send fewer orders down the fast path. */
const UNUSUAL = 'An order that is not taken for a usual one goes the long way to the same end: only the time differs.';

const reasons: readonly Reason[] = [
  equal(/./, /new (?:\w+Array|EventWriter)\(/, 'The first capacity of a table that grows when it must.'),
  equal(/./, /\.length \* 2; ⇒ 2 → 3/, 'By how much a table grows.'),
  equal(/^grow/, /fill = 0/, 'What grows is written before it is read.'),
  equal(
    /^state/,
    /^\w+(?:: \w+)? = [^;]+; ⇒/,
    'A first value: orders fill their scratch anew, Started gives every setting.',
  ),
  equal(
    /^state/,
    /^export const AHEAD_MAX = /,
    'How many commands are looked ahead for at once: only the time differs.',
  ),
  equal(/^ledger/, /^const (?:STRIDE = 16|OWN_LAST = 14);/, 'Where a word lies in a record that has free places.'),
  equal(/^ledger/, /^if \(micro <= 0\) return; ⇒ <=/, 'Nothing more is reserved, so the bound stays as it is.'),
  equal(
    /^orderPool/,
    /(?:OWN_)?(?:NEXT|PREV)\)?\] = FREE; ⇒ records.* → ;$/,
    'Written twice on the way to the same list.',
  ),
  equal(
    /^orderPool/,
    /^const (?:ENTRIES_A_SLOT|FIRST_CAPACITY|FIRST_ENTRIES|GROWTH_SHIFT) = |^slots \* ENTRIES_A_SLOT/,
    'How much room there is at first, and when it grows: only the memory differs.',
  ),
  equal(
    /^usualOrder/,
    /^const (?:SIDE_SHIFT|MAKER_DOUBLE|TAKER_DOUBLE|MAKER_TO_TAKER|TIMESTAMP_DOUBLE|EXPIRATION_DOUBLE) = /,
    UNUSUAL,
  ),
  equal(
    /^usualOrder/,
    /^const (?:belowAsk|aboveBid) = .* ⇒ best(?:Ask → bestBid|Bid → bestAsk)$|<= 0; ⇒ 0 → 1$/,
    UNUSUAL,
  ),
  equal(/^usualOrder/, /^timestampMs .* ⇒ (?:>= → >|<= → <|- → \+|\+ → -)$/, UNUSUAL),
  equal(/^usualOrder/, /^if \(position < 0 .* ⇒ (?:< → <=|!== → ===|0 → 1)$/, UNUSUAL),
  equal(/^usualOrder/, /isOwner\(.* ⇒ \+ → -$/, UNUSUAL),
  equal(/^usualOrder/, /^const (?:money|lots|pips|ladderPips) = .* ⇒ (?:[+-] → [+-]|0 → 1)$/, UNUSUAL),
  equal(/^usualOrder/, /^if \(Math\.floor\(lots\) .* ⇒ (?:< → <=|> → >=)$/, UNUSUAL),
  equal(/^usualOrder/, /^if \(level < 1 .* ⇒ (?:< → <=|1 → 2)$/, UNUSUAL),
  equal(
    /^orderPool/,
    /^this\.usedMax = |^return this\.freeHead >= 0 .* ⇒ (?:>= → >|0 → 1)$/,
    'Whoever adds an order makes room for it first: only the time differs, and the memory.',
  ),
  equal(/^accounts/, /^const OWNER_SHIFT = 3;/, 'Where a word lies in a record that has free places.'),
  equal(/^accounts/, /^this\.keyCount \+= 1; ⇒ 1 → 2$/, 'Numbers of keys are told to nobody.'),
  equal(
    /^accounts/,
    /^this\.lastKey = (?:sections|growInt32)/,
    "keyOf's first guess: without it, the table of keys is asked.",
  ),
  equal(/^accounts/, /^last < this\.keyCount/, "keyOf's first guess: without it, the table of keys is asked."),
  equal(/^accounts/, /^this\.lastKey\[account\] = /, "keyOf's first guess: without it, the table of keys is asked."),
  equal(/^accounts/, /^const at = offset >> 2; ⇒ 2/, "keyOf's first guess: without it, the table of keys is asked."),
  equal(
    /^accounts/,
    /^keyIds\[base.*\] && ⇒ (?:\d → \d|[+-] → [+-])$/,
    "keyOf's first guess: where it fails, the table of keys is asked.",
  ),
  equal(
    /^lifecycle/,
    /^market\.refitGrid\(\);/,
    'A price off the grid makes it finer when it comes; a finer one holds all.',
  ),
  equal(/^lifecycle/, /^state\.touchedCount = 0;/, 'A market that is looked at once more wants nothing.'),
  equal(
    /^orderBook/,
    /^if \(ladder\.gridPips !== market\.tickPips\) ⇒|market\.refitGrid\(\)|refitWithout\(/,
    'A grid that is finer than it must be holds the same prices.',
  ),
  equal(
    /^ladderSpace/,
    /^const (?:LINE_WORDS|FIRST_WORDS|LONGEST_WORDS|SHARED_WORDS_MAX|doubled) = |^(?:this\.)?used = 0;|^if \(this\.used \+ room/,
    'Where a block lies, and how large the array around it is: only the time and the memory differ.',
  ),
  equal(
    /^ladderSpace/,
    /^if \(size > SHARED_WORDS_MAX\)|^if \(blocks === undefined\) this\.free|^else blocks\.push\(/,
    'Words that are not used again: only the memory differs.',
  ),
  equal(/^ladder/, /^const inverses = .* ⇒ \+ → -$/, 'No grid is nearly as coarse.'),
  equal(
    /^ladder/,
    /^(?:if \(!this\.isShared\) )?this\.(?:giveLevels|space\.give)\(/,
    'Words that are not given back: only the memory differs.',
  ),
  equal(/^lifecycle/, /^market\.ladder\.vacate\(\)/, 'Words that are not given back: only the memory differs.'),
  equal(/^ladder/, /^this\.isShared = true; ⇒ /, 'No order will rest in a market that is resolved.'),
  equal(/^ladder/, /^if \(group << 10 >= .* ⇒ >= → >$/, 'No grid has a multiple of 1,024 levels.'),
  equal(/^ladder/, /^sharedWords\.set\(/, 'Empty levels that markets share: each then makes its own.'),
  equal(
    /^ladder/,
    /this\.words\[this\.levelsAt \+ \(this\.best(?:Bid|Ask) << 1\)\]/,
    'Asked for what is read early, which says nothing: only time can tell.',
  ),
  equal(
    /^ladder/,
    /^return this\.bestAsk < this\.levelCount; ⇒ bestAsk/,
    'Whoever asks looks at its price too: that of no ask is 10,000.',
  ),
  equal(/^ladder/, /level < this\.bestAsk\) \{ ⇒ < → <=/, 'They are the same there.'),
  equal(/^ladder/, /^return this\.bestBid > 0; ⇒ >/, 'Whoever asks looks at its price too: that of no bid is 0.'),
  equal(/^coverage/, /^previous = account;/, 'An account that is looked at twice has been covered the first time.'),
  equal(/^entry/, /^const NONE = -1; ⇒ 1/, 'No slot or account is any number below 0.'),
  equal(
    /^entry/,
    /^(?:guess|account) = state\.ahead/,
    'What was read early: where it is missing, the tables are asked.',
  ),
  equal(
    /^entry/,
    /account < 0(?:\) \{ ⇒ <|\) account = .* ⇒ <| \? NONE : .* ⇒ [0<])/,
    'Account 0 is that of the fees: nobody has a key of its owner.',
  ),
  equal(/^entry/, /pips [<>] (?:highest|tickPips) \? .* ⇒ [<>] → [<>]=/, 'They are the same there.'),
  equal(
    /^entry/,
    /^order\.owner = state\.accounts\.owners/,
    'An account that an order opens holds nothing: the order cannot rest.',
  ),
  equal(/^exchange/, /suspectCount > 0\) coverAccounts.* ⇒ >/, 'Without suspects the pass looks at nobody.'),
  equal(
    /^dueHeap/,
    /^if \(left >= this\.size\) return; ⇒ >=/,
    'The place after the last still holds the item that was moved.',
  ),
  equal(
    /^dueHeap/,
    /^return this\.second\[a\] < this\.second\[b\]; ⇒ < → <=$/,
    'No two items are the same in all three.',
  ),
  equal(/^dueHeap/, /^while \(at > 0\) \{ ⇒ > → >=$/, 'The first has nothing before it.'),
  equal(/^dueHeap/, /^if \(this\.\w+\[a\] !== this\.\w+\[b\]\) return .* ⇒ < → <=/, 'They differ there.'),
  equal(/^dryRun/, /budgetMicro > 0; ⇒ 0 → 1/, 'A budget of 1 micro buys no lot and is refused before.'),
  equal(/^dryRun/, /^isDone = true;/, 'What follows is worse, and nothing is wanted: the walk only takes longer.'),
  equal(
    /^idWindow/,
    /^(?:if \(slice !== undefined\) )?this\.recent = slice;/,
    'The slice that is looked at first; the table has all.',
  ),
  equal(/^idWindow/, /^this\.recent = noSlice;/, 'Times of a slice that is dropped are refused before it is asked.'),
  equal(/^idWindow/, /this\.recent\.touch\(/, 'What is read early says nothing: only time can tell.'),
  equal(/^idWindow/, /= heads\.subarray\(i, i \+ 3\);/, 'Three of them are taken.'),
  equal(/^idWindow/, /^this\.latest = slice;/, 'How much room the next slice has at first.'),
  equal(/^idWindow/, /^const (?:CAPACITY_MIN|capacity) = /, 'How much room a slice has at first.'),
  equal(/^idWindow/, /^return this\.count < this\.countMax;/, 'A slice grows when it is a little fuller.'),
  equal(
    /^idWindow/,
    /^const HASHES = |^this\.scale = |^return \(\(Math\.imul\(first, .* ⇒ 0 → 1$/,
    'Fewer places are looked at first; whatever is there is found behind them.',
  ),
  equal(/^idWindow/, /^stoppedAt = 0;/, 'A look-up comes before every add and says where it stopped.'),
  equal(/^idWindow/, /^const first = words\[id\] \|\| 1;/, 'Any number but the one that marks a free entry.'),
  equal(
    /^accounts/,
    /^(?:keyCount = 0;|this\.open\(message, 0)/,
    'Numbers of keys are told to nobody; four bytes are a word.',
  ),
  equal(/^grow/, /^if \(fill !== 0\)/, 'New cells are 0 as they are.'),
  equal(/^ladder/, /\+ 31\) >>> 5/, 'A word more than there are levels for.'),
  equal(/^exchange/, /^(?:this\.)?lookAhead\(/, 'What is read early says nothing: only time can tell.'),
  equal(/^exchange/, /^state\.alarm\.ms = nextMs;/, 'An alarm that rings early finds nothing due: only time can tell.'),
  equal(/^coverage/, /^state\.suspectCount = 0;/, 'Suspects of before are looked at again, and are covered.'),
  equal(
    /^entry/,
    /foundLots < order\.lots\)\) \{ ⇒ < → <=/,
    'An order that matches whole takes a slot and gives it back.',
  ),
  equal(/^matching/, /available < left \? available : left/, 'They are the same there.'),
  equal(
    /^snapshot/,
    /^const (?:TERMS = 9|COLUMNS = TERMS \+ 6);/,
    'Where numbers lie: one place stays free, for who writes and who reads.',
  ),
  equal(/^snapshot/, /^state\.tMs = sections/, 'The next command brings its own time.'),
  equal(/^fees/, /^const LIMBS_MAX = 16;/, 'Room for more limbs than there are.'),
  equal(/^fees/, /^if \(exact <= Number\.MAX_SAFE_INTEGER\)/, 'Both ways are exact at that number.'),
  equal(/^prices/, /^return price > BigInt\(MICRO_MAX\)/, 'At the cap both say the same.'),
  equal(
    /^prices/,
    /^while \(k > 0 && .* ⇒ 0 → 1$/,
    'A ratio below one tick is never rounded up to it: of all amounts, 1 / 2^53 less than 1 is the nearest.',
  ),
  equal(/^state/, /^this\.tMs = 0;/, 'Every command brings its time.'),
  equal(
    /^market/,
    /^if \(grid !== this\.ladder\.gridPips\)/,
    'A grid that is finer than it must be holds the same prices.',
  ),
  equal(/^prices/, /^if \(moneyMicro >= 2 \* sharesMicro\)/, 'Such a price is beyond every limit either way.'),
  equal(/^snapshot/, /levels\.subarray\(at, at \+ 3\)/, 'Three of them are taken.'),
  equal(/^snapshot/, /new Float64Array\(0\)/, 'What is loaded takes its place.'),
  equal(
    /^entry/,
    /^if \(isDelayed \|\| .* ⇒ && → \|\|$/,
    'An order that does not stay enters the pool and leaves it in the same command.',
  ),
  equal(
    /^ledger/,
    /^if \(guess >= 0 && .* ⇒ (?:&& → \|\||0 → 1)$/,
    'A guess has the hash of both, by which either follows from the other; without one the position is looked up.',
  ),
  equal(
    /^orderPool/,
    /^while \(index\[gap\] !== slot\) gap = .* ⇒ \+ → -$/,
    'A search that goes round until it finds.',
  ),
  equal(/^snapshot/, /gridPips > 0 .* ⇒ > → >=$/, 'A remainder by 0 is NaN, so a grid of 0 is refused either way.'),
  equal(/^idWindow/, /^this\.(?:startMs|endMs) = /, 'When a slice is looked at first; the table has all.'),
  equal(/^entries/, /./, 'What is read early says nothing: only time can tell.'),
  equal(/^lookAhead/, /^(?!state\.aheadAt = )/, 'What is read early says nothing: only time can tell.'),
  equal(/^dryRun/, /\btouched\b/, 'What is read early says nothing: only time can tell.'),
  equal(/^cancels/, /state\.prefetched = /, 'What is read early says nothing: only time can tell.'),
  equal(
    /^(?:idWindow|ledger|orderPool)/,
    /\bread \^= |^let read = 0;/,
    'What is read early says nothing: only time can tell.',
  ),
  equal(/^orderPool/, /^(?:if \(slot >= 0\) )?slots\[i\] = /, 'Read early, as above.'),
  equal(
    /^orderPool/,
    /^const slot = slots\[i - count\];|^for \(let i = count; i < end; /,
    'Read early, as above: what is not found so is looked up.',
  ),
  equal(/^ledger/, /= account < 0 \? 0 : .* ⇒ 0 → 1$/, 'Account 0 is that of the fees: nobody has a key of its owner.'),
  equal(/^prices/, /^let k = /, 'A first guess that the exact comparison below mends.'),
  equal(/^state/, /^market\.isTouched = true;/, 'A market that is listed twice is looked at twice.'),
  equal(/^state/, /^if \(ledger\.collateral\[account\] >= .* ⇒ >= → >$/, 'A suspect that is covered is left as it is.'),
  equal(
    /^orderPool/,
    /^let gap = \(idHash|^for \(let i = 0; i < count; i \+= 1\)/,
    'Where a search begins that goes round until it finds; or what is read early.',
  ),
  equal(/^orderPool/, /^return (?:this\.index\[)?\(?idHash/, 'What is read early says nothing: only time can tell.'),
  equal(/^(?:orderPool|ledger)/, /^(?:first|correct)Values\(/, 'What is read early says nothing: only time can tell.'),
  equal(/^ledger/, /^const SHIFT = 4;/, 'A record twice as long as it need be.'),
  equal(/^ledger/, /^this\.bound = growFloat64/, 'An account without a bound is looked at each time.'),
  equal(/^ledger/, /^const last = table\.length - 1;/, 'Entries lie at even places.'),
  equal(/^orderPool/, /^while \(this\.index\[entry\] >= 0 .* ⇒ 1 → 2$/, 'Entries lie at even places.'),
  equal(/^ledger/, /^if \(reserved > largest\) .* ⇒ > → >=$/, 'They are the same there.'),
  equal(/^ledger/, /^for \(let i = 0; i < count; i \+= 1\) \{/, 'Read early, as above.'),
  equal(/^ledger/, /^if \(reserved > this\.bound\[account\]\)/, 'They are the same there.'),
  equal(/^ledger/, /at < old\.length; at \+= 2/, 'Behind the last entry there is none to move.'),
  equal(/^ledger/, /^return \(Math\.imul\(account, /, 'Another hash, as good.'),
  equal(
    /^coverage/,
    /^ledger\.bound\[account\] = /,
    'A bound that stays too high: the account is looked at more often.',
  ),
  equal(/^exchange/, /^const STEP_CONFIRMED = /, 'A mark that is compared with itself.'),
  equal(/^exchange/, /account < accounts\.accountCount; .* ⇒ < → <=/, 'Behind the last account there is no wallet.'),
  equal(/^dryRun/, /^const ASK = 1;/, 'Held against BID alone.'),
  equal(/^dryRun/, /^const none = side === BID/, 'The limit of an order lies before both ends of a ladder.'),
  equal(/^dryRun/, /^dry\.budgetLeftMicro = isBudget/, 'What is left of no budget is never asked.'),
  equal(/^dryRun/, /^if \(dry\.ownCount > 0\) countReleases.* ⇒ > → >=/, 'Of none there is nothing to count.'),
  equal(
    /^state/,
    /^this\.(?:touched|suspect)Count \+= 1; ⇒ 1/,
    'Between them stand those of commands before, of whom nothing is wanted any more.',
  ),
  equal(/^invariants/, /^let previous = 0;/, 'Numbers of orders begin at 1, which has been checked before.'),
];

/** The reason for which this mutant may survive; undefined when there is none. */
export function reasonOf({ file, text, from, to }: Mutant): string | undefined {
  const change = `${text} ⇒ ${from} → ${to}`;
  return reasons.find((reason) => reason.file.test(file) && reason.change.test(change))?.text;
}
