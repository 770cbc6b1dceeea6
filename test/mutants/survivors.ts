// Why a mutant of the core may survive: it is an equivalent program, which no question to a core can distinguish. Read by main.ts,
// which fails when a survivor has no reason here. A reason identifies lines by their text, so it stays valid when they move.
import type { Mutant } from './sites.ts';

interface Reason {
  readonly file: RegExp;
  /** Matches the line and its change, as `text ⇒ from → to`. */
  readonly change: RegExp;
  readonly text: string;
  /** Matches the line before the place of the change: where a line has several, and the reason is for some of them. */
  readonly before: RegExp;
}

const equal = (file: RegExp, change: RegExp, text: string, before = /^/): Reason => ({ file, change, text, before });

// Reasons for several lines.
const PREFETCH = 'A prefetch, which no result shows; only what looking ahead by itself reads is compared.';
const EQUAL_OPERANDS = 'Both results are the same where the operands are equal.';
/** For changes that merely send fewer orders down the fast path. */
const UNUSUAL =
  'An order that is not recognised as a usual one takes the general path to the same result: only the time differs.';

const reasons: readonly Reason[] = [
  equal(/^accounts/, /^return readHex\(.* ⇒ 4 → 5$/, 'No bytes follow those that are read.', /, 0, count \* $/),
  equal(/^amounts/, /^const factor = .* ⇒ 1 → 2$/, 'Only the first is used.'),
  equal(/^snapshot/, /^const (?:columns|levels) = .* ⇒ 0 → 1$/, 'What the snapshot holds takes its place.'),
  equal(/^snapshot/, /^status: columns\[at \+ AT\.status\], ⇒ \+ → -$/, 'The place is 0.'),
  equal(/^idWindow/, /^const noSlice = /, 'Both numbers lie before any order.'),
  equal(/^grow/, /fill = 0/, 'What is added by growing is written before it is read.'),
  equal(
    /^state/,
    /^\w+(?:: \w+)? = [^;]+; ⇒/,
    'An initial value: each order fills its scratch fields anew, and Started sets every setting.',
  ),
  equal(
    /^ledger/,
    /^if \(micro <= 0\) return; ⇒ <=/,
    'Nothing is added to what is reserved, so the bound does not change.',
  ),
  equal(/^usualOrder/, /^timestampMs .* ⇒ (?:>= → >|<= → <|- → \+|\+ → -)$/, UNUSUAL),
  equal(
    /^orderPool/,
    /^this\.usedMax = |^return this\.freeHead >= 0 .* ⇒ (?:>= → >|0 → 1)$/,
    'Callers make room before they add an order, and set it then.',
  ),
  equal(/^links/, /^return first \^ .* ⇒ 31 → 30$/, 'No slot and no position is as large as 2^30.'),
  equal(
    /^orderBook/,
    /^if \(pool\.heapPlace\(slot\) >= 0\) .* ⇒ 0 → \(-1\)$/,
    'The heap withdraws nothing that it does not hold.',
  ),
  equal(
    /^(?:orderBook|usualOrder)/,
    /^if \(market\.autoTick !== 0(?:\) state\.touchedMarket = | && ).* ⇒ 0 → \(-1\)$/,
    'A market that is examined without need needs no change.',
  ),
  equal(/^lifecycle/, /^state\.touchedMarket = NONE;/, 'A market that is examined once more needs no change.'),
  equal(
    /^orderBook/,
    /^if \(ladder\.gridPips !== market\.tickPips\) ⇒|market\.refitGrid\(\)|refitWithout\(/,
    'A grid that is finer than needed holds the same prices.',
  ),
  equal(
    /^ladderSpace/,
    /^const SHARED_WORDS_MAX = |^if \(size > SHARED_WORDS_MAX\) .* ⇒ > → >=$/,
    'No grid takes a block of a size in between.',
  ),
  equal(/^ladderSpace/, /^const LONGEST_WORDS = /, 'No trace fills so many words: only the memory differs.'),
  equal(/^ladder/, /^const GRIDS_END = /, 'Grids of nearly a unit are far coarser than any in use.'),
  equal(/^ladder/, /^this\.isShared = true; ⇒ /, 'No order can rest in a resolved market.'),
  equal(/^ladder/, /^if \(group << 10 >= .* ⇒ >= → >$/, 'No grid has a multiple of 1,024 levels.'),
  equal(/^ladder/, /level < this\.bestAsk\) \{ ⇒ < → <=/, EQUAL_OPERANDS),
  equal(/^coverage/, /^previous = account;/, 'An account that is examined twice is covered after the first time.'),
  equal(/^entry/, /^(?:guess|account) = state\.ahead/, 'A prefetched value: without it, the tables are read.'),
  equal(
    /^entry/,
    /account < 0(?:\) (?:order\.)?account = | \? NONE : ).* ⇒ (?:0 → 1|< → <=)$/,
    'Account 0 holds the fees: nobody has a key of its owner.',
  ),
  equal(/^entry/, /pips > highest \? .* ⇒ > → >=$/, EQUAL_OPERANDS),
  equal(/^entry/, /^if \(found > 0\) matchOrder\(.* ⇒ 0 → \(-1\)$/, 'Where nothing was found, nothing is matched.'),
  equal(/^exchange/, /^if \(state\.freshTrades > 0\) queueFresh.* ⇒ > → >=$/, 'Without fresh trades none is queued.'),
  equal(/^exchange/, /suspectCount > 0\) coverAccounts.* ⇒ >/, 'Without suspects the pass examines no account.'),
  equal(
    /^dueHeap/,
    /^if \(left >= this\.size\) return; ⇒ >=/,
    'The place after the last item still holds a copy of the one that was moved.',
  ),
  equal(
    /^dueHeap/,
    /^return this\.second\[a\] < this\.second\[b\]; ⇒ < → <=$/,
    'No two items are equal in all three keys.',
  ),
  equal(/^dueHeap/, /^while \(at > 0\) \{ ⇒ > → >=$/, 'The first item has no parent.'),
  equal(/^dueHeap/, /^if \(this\.\w+\[a\] !== this\.\w+\[b\]\) return .* ⇒ < → <=/, 'The two values differ there.'),
  equal(
    /^dryRun/,
    /^if \(order\.canRest && wanted > 0\) .* ⇒ > → >=$/,
    'Once nothing more is wanted, the last fill has counted the own orders.',
  ),
  equal(/^dryRun/, /^if \(dry\.ownCount > 0 && .* ⇒ > → >=$/, 'Of no own orders there is nothing to count.'),
  equal(/^dryRun/, /^if \(levelLots > 0\) \{ ⇒ > → >=$/, 'A level at which nothing is taken costs nothing.'),
  equal(/^dueHeap/, /^if \(this\.nextMs < this\.alarm\.ms\) .* ⇒ < → <=$/, EQUAL_OPERANDS),
  equal(/^entry/, /^if \(order\.position < 0\) .* ⇒ < → <=$/, 'A position that exists is found again.'),
  equal(/^accounts/, /^if \(\(key \+ 1\) \* KEY_WORDS > .* ⇒ 1 → 2$/, 'When a table grows: only the memory differs.'),
  equal(/^prices/, /^const HALF = 2 \*\* 26; ⇒ 26 → 27$/, 'Products of 27 and 26 bits are exact too.'),
  equal(
    /^prices/,
    /^while \(k > 0 && .* ⇒ > → >=$/,
    'The next loop takes back one step too many, and no step goes below 0.',
  ),
  equal(
    /^dryRun/,
    /^return order\.budgetMicro > 0 \? .* ⇒ 0 → 1$/,
    'A budget of 1 micro buys one lot at one pip or nothing: the lots give the same answer.',
  ),
  equal(
    /^dryRun/,
    /^isDone = true;/,
    'Nothing more is wanted from the worse levels that follow: the walk only takes longer.',
  ),
  equal(
    /^idWindow/,
    /^return timestampMs >= this\.startMs .* ⇒ >= → >$/,
    'Which slice is tried first; the table has all of them.',
  ),
  equal(/^heartbeatTable/, /^this\.due\.push\(.* ⇒ 0 → /, 'A number that is the same for all of them decides nothing.'),
  equal(/^heartbeatTable/, /^this\.sessions\.push\(.* ⇒ false → true$/, 'It is set to true right afterwards.'),
  equal(/^idWindow/, /^this\.recent = noSlice;/, 'Times within a dropped slice are refused before it is looked up.'),
  equal(/^idWindow/, /= heads\.subarray\(i, i \+ 3\);/, 'Only the first three are used.'),
  equal(/^idWindow/, /^stoppedAt = 0;/, 'A look-up precedes every add and sets where it stopped.'),
  equal(/^accounts/, /^this\.open\(message, 0.* ⇒ 0 → 1$/, 'An offset of one byte is in the same word.'),
  equal(/^grow/, /^if \(fill !== 0\)/, 'New cells are 0 already.'),
  equal(
    /^ladder/,
    /\+ 31\) >>> 5; ⇒ 31 /,
    'A word more than the levels need, or one fewer where they are one more than a multiple of 32, which they never are.',
  ),
  equal(/^exchange/, /^(?:this\.)?lookAhead\(/, PREFETCH),
  equal(/^coverage/, /^state\.suspectCount = 0;/, 'Earlier suspects are examined again, and are covered.'),
  equal(/^matching/, /available < left \? available : left/, EQUAL_OPERANDS),
  equal(/^fees/, /^const LIMBS_MAX = 16;/, 'Room for more limbs than needed.'),
  equal(
    /^entry/,
    /^const lots = order\.budgetMicro > 0 \? .* ⇒ 0 → 1$/,
    'A FAK order with a budget of 1 micro that buys anything has spent it all.',
  ),
  equal(/^prices/, /^if \(first <= EXACT_MAX .* ⇒ <= → <$/, 'Both paths are exact for that number.'),
  equal(/^fees/, /^if \(exact <= Number\.MAX_SAFE_INTEGER\)/, 'Both paths are exact for that number.'),
  equal(/^prices/, /^return price > BigInt\(MICRO_MAX\)/, 'At the cap both results are the same.'),
  equal(
    /^prices/,
    /^while \(k > 0 && .* ⇒ 0 → 1$/,
    'A ratio below one tick is never rounded up to it: the nearest ratio of amounts below 1 is 1 - 2^-53.',
  ),
  equal(/^state/, /^this\.tMs = 0;/, 'Every command brings its own time.'),
  equal(/^prices/, /^if \(moneyMicro >= 2 \* sharesMicro\)/, 'Such a price is out of range either way.'),
  equal(/^snapshot/, /levels\.subarray\(at, at \+ 3\)/, 'Only the first three are used.'),
  equal(
    /^ledger/,
    /^if \(guess >= 0 && .* ⇒ (?:0 → (?:1|\(-1\))|>= → >)$/,
    'Without a guess, or where there is no record, the position is looked up.',
  ),
  equal(
    /^ledger/,
    /^if \(guess >= 0 && .* ⇒ (?:&& → \|\||=== → !==)$/,
    'A guess has the hash of account and market: if one of the two differs, so does the other.',
    /ACCOUNT\]/,
  ),
  equal(
    /^snapshot/,
    /gridPips > 0 .* ⇒ (?:> → >=|0 → \(-1\))$/,
    'A remainder of a division by 0 is NaN, so a grid of 0 is refused either way.',
  ),
  equal(
    /^(?:hashLists|idWindow|ledger|lookAhead|orderPool)/,
    /^for \(let i = 0; i < \w*[cC]ount; .* ⇒ (?:< → <=|0 → \(-1\))$/,
    'One place before the first or after the last, which nothing reads.',
  ),
  equal(/^dryRun/, /\btouched\b/, PREFETCH),
  equal(/^cancels/, /state\.prefetched = /, PREFETCH),
  equal(/^ledger/, /^let read = 0;/, 'Two of its results are folded into one, where it cancels out.'),
  equal(/^ledger/, /^if \(position >= 0\) read .* ⇒ 0 → \(-1\)$/, 'Before the first record there is nothing to read.'),
  equal(/^ledger/, /= account < 0 \? 0 : .* ⇒ 0 → 1$/, 'Account 0 holds the fees: nobody has a key of its owner.'),
  equal(/^prices/, /^let k = /, 'A first guess that the exact comparison below corrects.'),
  equal(
    /^state/,
    /^if \(ledger\.collateral\[account\] >= .* ⇒ >= → >$/,
    'A suspect that is covered is left unchanged.',
  ),
  equal(
    /^orderPool/,
    /^this\.takeSalt\(salt\);|^this\.secondFactor = /,
    'Ids lie elsewhere in memory, where they are found as well.',
  ),
  equal(
    /^orderPool/,
    /^while \(slot >= 0\) \{ ⇒ 0 → \(-1\)$/,
    'Before the first record there is nothing, which equals no id and ends the list.',
  ),
  equal(/^ledger/, /^if \(reserved > largest\) .* ⇒ > → >=$/, EQUAL_OPERANDS),
  equal(/^ledger/, /^if \(reserved > this\.bound\[account\]\)/, EQUAL_OPERANDS),
  equal(/^ledger/, /^return \(Math\.imul\(account, /, 'Another hash, which is as good.'),
  equal(
    /^coverage/,
    /^ledger\.bound\[account\] = /,
    'A bound that stays too high: the account is examined more often.',
  ),
  equal(/^ladder/, /^export const ASK = 1; ⇒ 1 → 2$/, 'Compared only with BID.'),
  equal(
    /^dryRun/,
    /^dry\.budgetLeftMicro = isBudget/,
    'What is left of the budget is never read for an order without one.',
  ),
  equal(/^invariants/, /^for \(let level = 1; .* ⇒ 1 → 0$/, 'No order rests at a price of 0.'),
  equal(/^invariants/, /^let previous = 0;/, 'Order numbers begin at 1, which is checked earlier.'),
];

function isFor(reason: Reason, { file, text, column, from, to }: Mutant): boolean {
  const isOfLine = reason.file.test(file) && reason.change.test(`${text} ⇒ ${from} → ${to}`);
  return isOfLine && reason.before.test(text.slice(0, column));
}

/** The reason for which this mutant may survive; undefined when there is none. */
export function reasonOf(mutant: Mutant): string | undefined {
  return reasons.find((reason) => isFor(reason, mutant))?.text;
}

/** The reasons that none of these needs, by their patterns: each would excuse a mutant that the traces detect. */
export function needlessReasons(survivors: readonly Mutant[]): string[] {
  const needless = reasons.filter((reason) => !survivors.some((mutant) => isFor(reason, mutant)));
  return needless.map(({ file, change, text }) => `${file.source} ${change.source}: ${text}`);
}
