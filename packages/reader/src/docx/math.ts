/** Formulas of Office documents (OMML) as LaTeX. */
import { child, type XmlNode } from '../xml.ts';

/** Reads a list of signs, each followed by its command. */
function commands(list: string): ReadonlyMap<string, string> {
  return new Map(list.split(' ').map((entry) => [entry.slice(0, 1), entry.slice(1)]));
}

/** Commands of signs; letters of the Greek alphabet are named by `GREEK`. */
const COMMANDS = commands(
  '±pm ∓mp ×times ÷div ⋅cdot ·cdot ∗ast ∘circ ∙bullet ≤leq ≥geq ≠neq ≈approx ≡equiv ∼sim ≃simeq ' +
    '≅cong ∝propto ≪ll ≫gg ≺prec ≻succ ∈in ∉notin ∋ni ⊂subset ⊆subseteq ⊃supset ⊇supseteq ∪cup ∩cap ' +
    '∖setminus ∅emptyset ∀forall ∃exists ¬neg ∧wedge ∨vee ⊕oplus ⊗otimes ⊥perp ∥parallel ∣mid →to ' +
    '←leftarrow ↔leftrightarrow ⇒Rightarrow ⇐Leftarrow ⇔Leftrightarrow ↦mapsto ↑uparrow ↓downarrow ' +
    '∞infty ∂partial ∇nabla √surd ∑sum ∏prod ∐coprod ∫int ∬iint ∭iiint ∮oint ⋃bigcup ⋂bigcap ⋁bigvee ' +
    '⋀bigwedge …ldots ⋯cdots ⋮vdots ⋱ddots ∠angle °degree ℏhbar ℓell ℜRe ℑIm ℵaleph †dagger ⟨langle ' +
    '⟩rangle 〈langle 〉rangle ⌊lfloor ⌋rfloor ⌈lceil ⌉rceil ‖Vert ∴therefore ′prime ⊤top ⊢vdash ' +
    '⊨models △triangle ∆Delta ϵepsilon ϕphi ϑvartheta ϖvarpi ϱvarrho',
);
const GREEK =
  'alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho varsigma sigma tau upsilon varphi chi psi omega'.split(
    ' ',
  );
/** Capitals that look Latin have no command of their own. */
const GREEK_CAPITALS = commands('ΓGamma ΔDelta ΘTheta ΛLambda ΞXi ΠPi ΣSigma ΥUpsilon ΦPhi ΨPsi ΩOmega');
const ACCENTS = commands(
  '\u0300grave \u0301acute \u0302hat \u0303tilde \u0304bar \u0305overline \u0306breve \u0307dot ' +
    '\u0308ddot \u030Ccheck \u20D7vec \u20D6overleftarrow ^hat ~tilde ¯bar →vec ˙dot ¨ddot ˇcheck ' +
    '˘breve',
);
const GROUPS = commands('⏞overbrace ⏟underbrace →overrightarrow ←overleftarrow');
const FUNCTION =
  /^(?:arccos|arcsin|arctan|arg|cos|cosh|cot|coth|csc|deg|det|dim|exp|gcd|hom|inf|ker|lg|lim|liminf|limsup|ln|log|max|min|Pr|sec|sin|sinh|sup|tan|tanh)$/;

/** The LaTeX of a formula (`m:oMath`), without dollar signs. */
export function latexOf(formula: XmlNode): string {
  return partsOf(formula).replaceAll(/\s+/g, ' ').trim();
}

const partsOf = (node: XmlNode | undefined): string => joined((node?.children ?? []).map(partOf));

/** A command needs a space before a letter that follows. */
function joined(parts: readonly string[]): string {
  let text = '';
  for (const part of parts) {
    if (part === '') continue;
    text += /\\[a-zA-Z]+$/.test(text.slice(-30)) && /^[a-zA-Z]/.test(part) ? ` ${part}` : part;
  }
  return text;
}

function partOf(node: XmlNode): string {
  // Each part is read once: formulas nest.
  const part = (name: string): string => partsOf(child(node, name)).trim();
  const sub = (): string => `_{${part('m:sub')}}`;
  const sup = (): string => `^{${part('m:sup')}}`;
  const property = (name: string): string | undefined => {
    const properties = node.children.find((one) => one.name === `${node.name}Pr`);
    const found = child(properties, name);
    return found && (found.attributes['m:val'] ?? '');
  };
  switch (node.name) {
    case 'm:r':
      return runOf(node);
    case 'm:f':
      if (property('m:type') === 'lin') return `${part('m:num')}/${part('m:den')}`;
      if (property('m:type') === 'noBar') return `\\binom{${part('m:num')}}{${part('m:den')}}`;
      return `\\frac{${part('m:num')}}{${part('m:den')}}`;
    case 'm:sSup':
      return `${based(part('m:e'))}${sup()}`;
    case 'm:sSub':
      return `${based(part('m:e'))}${sub()}`;
    case 'm:sSubSup':
      return `${based(part('m:e'))}${sub()}${sup()}`;
    case 'm:sPre':
      return `{}${sub()}${sup()}${part('m:e')}`;
    case 'm:rad': {
      const degree = part('m:deg');
      return degree === '' ? `\\sqrt{${part('m:e')}}` : `\\sqrt[${degree}]{${part('m:e')}}`;
    }
    case 'm:nary': {
      const sign = signOf(property('m:chr') ?? '∫');
      const [from, to] = [part('m:sub'), part('m:sup')];
      return `${sign}${from && `_{${from}}`}${to && `^{${to}}`} ${part('m:e')}`;
    }
    case 'm:d': {
      const inner = node.children.filter(({ name }) => name === 'm:e').map((one) => partsOf(one).trim());
      const fence = (sign: string): string => (sign === '' ? '.' : signOf(sign));
      const separator = signOf(property('m:sepChr') ?? '|');
      const [from, to] = [fence(property('m:begChr') ?? '('), fence(property('m:endChr') ?? ')')];
      return `\\left${from}${spaced(from)}${inner.join(separator)}\\right${to}${spaced(to)}`;
    }
    case 'm:func': {
      const name = part('m:fName');
      const called = FUNCTION.test(name) ? `\\${name}` : name;
      return joined([called, `{${part('m:e')}}`]);
    }
    case 'm:limLow':
      return `${named(part('m:e'))}_{${part('m:lim')}}`;
    case 'm:limUpp':
      return `${named(part('m:e'))}^{${part('m:lim')}}`;
    case 'm:acc':
      return `\\${ACCENTS.get(property('m:chr') ?? '\u0302') ?? 'hat'}{${part('m:e')}}`;
    case 'm:bar':
      return `\\${property('m:pos') === 'top' ? 'overline' : 'underline'}{${part('m:e')}}`;
    case 'm:groupChr':
      return `\\${GROUPS.get(property('m:chr') ?? '⏟') ?? 'underbrace'}{${part('m:e')}}`;
    case 'm:borderBox':
      return `\\boxed{${part('m:e')}}`;
    case 'm:m':
      return `\\begin{matrix}${rowsOf(node, 'm:mr')
        .map((row) =>
          rowsOf(row, 'm:e')
            .map((cell) => partsOf(cell).trim())
            .join(' & '),
        )
        .join(' \\\\ ')}\\end{matrix}`;
    case 'm:eqArr':
      return `\\begin{aligned}${rowsOf(node, 'm:e')
        .map((row) => partsOf(row).trim())
        .join(' \\\\ ')}\\end{aligned}`;
    case 'w:del':
    case 'w:moveFrom':
      return '';
    default:
      return node.name.endsWith('Pr') ? '' : partsOf(node);
  }
}

const rowsOf = (node: XmlNode, name: string): XmlNode[] => node.children.filter((one) => one.name === name);
/** A base of several signs is grouped, so that its index belongs to all of them. */
const based = (text: string): string => (/^(?:.|\\[a-zA-Z]+)$/u.test(text) ? text : `{${text}}`);
const named = (text: string): string => (FUNCTION.test(text) ? `\\${text}` : based(text));
const spaced = (fence: string): string => (/[a-zA-Z]$/.test(fence) ? ' ' : '');

function runOf(run: XmlNode): string {
  const text = rowsOf(run, 'm:t')
    .map((one) => one.text)
    .join('');
  const isText = child(child(run, 'm:rPr'), 'm:nor') !== undefined;
  if (isText) return text.trim() === '' ? text : `\\text{${text.replaceAll(/[{}\\$]/g, String.raw`\$&`)}}`;
  if (FUNCTION.test(text)) return `\\${text}`;
  return joined([...text].map(signOf));
}

/** A sign in LaTeX. Letters of mathematical alphabets are plain letters. */
function signOf(sign: string): string {
  const plain = /[\u{1D400}-\u{1D7FF}]/u.test(sign) ? sign.normalize('NFKC') : sign;
  const greek = GREEK[(plain.codePointAt(0) ?? 0) - 0x3b1];
  const command = (plain.length === 1 && greek) || (GREEK_CAPITALS.get(plain) ?? COMMANDS.get(plain));
  if (command) return `\\${command}`;
  if (plain === '\\') return '\\backslash';
  if (plain === '−') return '-';
  // Signs that only steer the editor.
  if (/[\u2061-\u2064\u200B\u200A]/.test(plain)) return '';
  return /[#$%&_{}]/.test(plain) ? `\\${plain}` : plain;
}
