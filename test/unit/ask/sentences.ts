import { squashed } from '../../../engines/text-work/ask/sentences.ts';
import type { CitedPassage } from '../../../engines/text-work/ask/support.ts';

/** A passage whose lines in bars are rows of a table. */
export function passageOf(text: string, headingPath: readonly string[] = []): CitedPassage {
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  const cellsOf = (line: string): string[] =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const rows = lines.map((line) => [squashed(line), line.startsWith('|---') ? [] : cellsOf(line)] as const);
  return { text, headingPath, rows: new Map(rows) };
}

/** What documents say, and what they do not say in almost the same words; `\n` breaks lines. By language. */
export const FALSE_SENTENCES: Record<string, string> = {
  english: String.raw`
Never do the following:\n- Use bleach to clean the tank\n- Open the lid => Use bleach to clean the tank.
The warranty does not cover these parts:\n- the batteries are covered by nobody\n- Seals of the pump => Seals of the pump.
Is the water safe for babies? No. => The water is safe for babies.
The pressure is > 6 bar in the tank. => The pressure is < 6 bar in the tank.
The age of the driver is ≥ 18 years. => The age of the driver is ≤ 18 years.
The concentration is 10⁻³ mol of the acid. => The concentration is 10³ mol of the acid.
The output is 5 MW at the plug. => The output is 5 mW at the plug.
The rate is 10 MB per link. => The rate is 10 Mb per link.
The library is written in C++ by hand. => The library is written in C by hand.
The option exists in version 1.10 of the tool. => The option exists in version 1.1 of the tool.
The dose is 5 mg per kilogram of weight. => The dose is 5 mg.
The price is 5 euros per user. => The price is 5 euros.
Entry is free for children. => Entry is free.
The bridge is closed to trucks. => The bridge is closed.
Parking is free on Sundays. => Parking is free.
The drug is safe for adults in good health. => The drug is safe.
In the previous version, the limit was 10 MB. => The limit is 10 MB.
Before 2020, the fee was 5 euros. => The fee is 5 euros.
For business customers, the warranty lasts 12 months. => The warranty lasts 12 months.
In an emergency, the lid may be opened. => The lid may be opened.
With the power off, remove the cover. => Remove the cover.
Should the lamp blink, replace the filter. => Replace the filter.
In case of fire, use the stairs. => Use the stairs.
The lid may be opened, assuming the tank is empty. => The lid may be opened.
The lifts are free, apart from Sundays. => The lifts are free.
Members may enter, but only with a guide. => Members may enter.
The fee is waived, subject to approval of the board. => The fee is waived.
Some people think, the earth is flat. => The earth is flat.
The pump runs although the tank is empty. => The pump runs because the tank is empty.
The pump stops and the lamp blinks. => The pump stops because the lamp blinks.
Acme was sued in the spring. => Acme has sued in the spring.
The chair of the board was Anna Smith. => The chair of the board is Anna Smith.
You must pay our costs of the appeal. => We must pay your costs of the appeal.
The key is in the box. => The key is on the box.
Turn the pump in the cellar off. => Turn the pump on.
The plan was approved by the board. => The plane was approved by the board.
Remove the tap from the sink. => Remove the tape from the sink.
The housing is made of steel. => The house is made of steel.
Roberts signed the contract. => Robert signed the contract.
| | 2019 | 2024 |\n|---|---|---|\n| Price of the ticket | 5 euros | 9 euros | => The price of the ticket is 5 euros.
| Feature | Basic | Pro |\n|---|---|---|\n| Export | ✗ | ✓ | => Basic has export.
| Feature | Basic | Pro |\n|---|---|---|\n| Export | – | yes | => Export is in Basic.
- ☐ The client agrees to the terms => The client agrees to the terms.
The ticket costs ¥500 at the desk. => The ticket costs ₹500 at the desk.
The resistor is 5 MΩ in the kit. => The resistor is 5 mΩ in the kit.
The fee is 1.500 euros for the year. => The fee is 1.5 euros for the year.
The offset is −5 mm at the end. => The offset is ±5 mm at the end.
The contract ends on 03/05/2026 in the US. => The contract ends on 5 March 2026 in the US.
The contract ends on 03/05/2026 in the US. => The contract ends on 3 May 2026 in the US.
Call 030 1234 in the night. => Call 30 1234 in the night.
If the lamp blinks, replace the filter. Drain the tank. => If the lamp blinks, drain the tank.
If the lamp blinks, replace the filter. Press the red button. => If the lamp blinks, press the red button.
The pump stops because the tank is empty. The fuse is blown. => The pump stops because the fuse is blown.
The pump weighs 12 kg.\n\nIt costs 50 euros. => The pump weighs 12 kg and it costs 50 euros.
The pump weighs 12 kg.\n\nIt costs 50 euros. => The pump weighs 12 kg. It costs 50 euros.
The pump weighs 12 kg.\n\n- Waterproof\n- Black => The pump weighs 12 kg and is waterproof.
The lid must never be opened, because it is hot. The fan must run. => The lid must never be opened, the fan must run.
The limit is between 5 and 10 users. => The limit is between 5.
Technical data for model B:\n- The weight is 5 kg => The weight is 5 kg.
The pressure is 10² bar. => The pressure is 102 bar.
The pump may run, because it is cooled but only at night. => The pump may run.
The pump may run, because it is cooled, but only at night. => The pump may run.
The pump may run, because it is cooled, unless it is hot. => The pump may run.
The pump may run, because it is cooled unless it is hot. => The pump may run.
The lid is hot, as this lamp shows; open it never. => The lid is hot, open it.
Take the keys, car papers and the phone. => Take the keys.
The pump does not stop because the tank is empty. => The pump does not stop.
Never use these:\n- bleach\n- acid => Use bleach and acid.
Never use these:\n- bleach\n- acid => Use these: bleach and acid.
The package contains:\n- a hose\n- no filters => The package contains a hose and filters.
The package contains:\n- a hose\n\nThe shop sells:\n- two filters => The package contains a hose and two filters.
According to the critics, the pump leaks. => According to the manual, the pump leaks.
The parts are divided into sections: main (free), other (not free), and more (free with others). => The parts are divided into sections: main (free), other (not free).
Press the red, the green, and the blue button at once. => Press the red, the green.
If you see any text besides that (names, etc.) then something is wrong. => If you see any text besides that (names, etc.)
The lamp blinks twice. => According to the law, the lamp blinks twice.
`,
  german: String.raw`
Die Pumpe darf laufen, weil sie gekühlt ist, aber nur nachts. => Die Pumpe darf laufen.
Die Pumpe darf laufen, weil sie gekühlt ist aber nur nachts. => Die Pumpe darf laufen.
Ist das Gerät wasserdicht? Nein. => Das Gerät ist wasserdicht.
Schalten Sie das Gerät aus. => Schalten Sie das Gerät ein.
Das Ventil geht zu. => Das Ventil geht auf.
Schließen Sie das Ventil an. => Schließen Sie das Ventil.
Der Mieter entschädigt den Vermieter. => Den Mieter entschädigt der Vermieter.
Die Firma wird verklagt. => Die Firma hat verklagt.
Ist der Tank leer, öffnen Sie den Deckel. => Öffnen Sie den Deckel.
Die Garantie gilt, vorausgesetzt das Siegel ist heil. => Die Garantie gilt.
Nicht erlaubt ist:\n- Das Gerät in der Wanne benutzen => Das Gerät in der Wanne benutzen.
Der Kläger meint, der Vertrag ist nichtig. => Der Vertrag ist nichtig.
Der Eintritt ist frei für Kinder. => Der Eintritt ist frei.
Wenn die Lampe blinkt, wechseln Sie den Filter. Leeren Sie den Tank. => Wenn die Lampe blinkt, leeren Sie den Tank.
Die Frau hilft der Tochter. => Der Frau hilft die Tochter.
Der Filter sollte mindestens alle drei Monate gereinigt werden. => Der Filter muss mindestens alle drei Monate gereinigt werden.
`,
  french: String.raw`
L'archive est divisée en parties : main (libres), autre (non libres), et plus (libres). => L'archive est divisée en parties : main (libres), autre (non libres).
La garantie est-elle valable ? Non. => La garantie est valable.
La taille L coûte 5 euros dans la boutique. => La taille S coûte 5 euros dans la boutique.
En cas d'urgence, ouvrez le couvercle. => Ouvrez le couvercle.
Ouvrez le couvercle, à condition que la cuve soit vide. => Ouvrez le couvercle.
L'entrée est gratuite pour les enfants. => L'entrée est gratuite.
`,
  spanish: String.raw`
¿La bomba es segura? No. => La bomba es segura.
La vitamina A es soluble en grasa. => La vitamina E es soluble en grasa.
Abra la tapa, siempre que el tanque esté vacío. => Abra la tapa.
Tras enfriar el motor, abra la tapa. => Abra la tapa.
La entrada es gratis para los socios. => La entrada es gratis.
`,
  others: String.raw`
مدة الضمان ٢٤ شهرا من تاريخ الشراء => مدة الضمان ٣٦ شهرا من تاريخ الشراء
वारंटी २४ महीने की है => वारंटी ३६ महीने की है
Aprire la valvola se la pressione è alta. La pompa è un apparato e la valvola è una parte del sistema con la quale si regola la pressione. Lo si usa al bisogno. => Aprire la valvola.
Abra a válvula se a pressão é alta. A bomba é um aparelho que serve para a casa e a válvula é uma parte do sistema que se usa para regular a pressão. => Abra a válvula.
A garantia é válida para o motor e a bomba não. A bomba é um aparelho que serve para a casa e a válvula é uma parte que se usa. => A garantia é válida para o motor.
The manual in all of its languages is in the box and on the site.\n\nDie Garantie gilt in Europa nicht. => Die Garantie gilt.
`,
};

/** Prose of a language, which follows each of its texts above. */
export const PROSE: Record<string, string> = {
  english:
    'This is the text of the manual that describes the device and all of its parts in the usual order.',
  german: 'Das ist der Text der Anleitung, die das Gerät und die Teile in der üblichen Ordnung beschreibt.',
  french:
    "Ceci est le texte de la notice qui décrit les parties de l'appareil dans un ordre usuel et les éléments.",
  spanish:
    'Este es el texto de la guía que describe las partes del aparato en el orden usual y los elementos.',
  others: '',
};

export const MANUAL = `The X200 is a submersible pump for garden ponds. It weighs 12 kg and is rated for 230 V. To reset the pump, hold the green button for 5 seconds. The lamp then blinks twice.
The filter should be cleaned at least once every three months, or more often if the water is dirty. Do not run the pump dry, as this will damage the seals. You can return the product within 30 days of delivery, provided that it is unused.

The package contains:
- a hose
- two filters
- the manual

| Part | Price | Weight |
|---|---|---|
| Filter | 12 € | 0.3 kg |
| Seal | 4 € | 0.1 kg |

Note: Use only original spare parts. The pump was first sold in 2019 by Aqua GmbH, which was founded in Berlin in 1998.`;

export const ANLEITUNG = `Die Pumpe ist für Gartenteiche geeignet. Sie wiegt 12 kg und benötigt 230 V. Zum Zurücksetzen halten Sie die grüne Taste 5 Sekunden lang gedrückt. Der Filter sollte mindestens alle drei Monate gereinigt werden. Die Garantie beträgt 24 Monate ab Kaufdatum und gilt nicht für Dichtungen.`;

/** Quotes of the two above, and what they say. */
export const TRUE_SENTENCES = {
  restated: String.raw`
It weighs 12 kg and is rated for 230 V. => It weighs 12 kg and is rated for 230 V.
To reset the pump, hold the green button for 5 seconds. The lamp then blinks twice. => To reset the pump, hold the green button for 5 seconds. The lamp then blinks twice.
To reset the pump, hold the green button for 5 seconds. => To reset the pump, hold the green button for 5 seconds [1].
To reset the pump, hold the green button for 5 seconds. => To reset the pump, hold the green button for 5 seconds (passage 1).
You can return the product within 30 days of delivery, provided that it is unused. => You can return the product within 30 days of delivery, provided it is unused.
The package contains:\n- a hose\n- two filters => The package contains two filters.
| Filter | 12 € | 0.3 kg | => The price of the filter is 12 €.
| Filter | 12 € | 0.3 kg |\n| Seal | 4 € | 0.1 kg | => The filter price is 12 euros and the seal price is 4 euros.
Note: Use only original spare parts. => Use only original spare parts.
Der Filter sollte mindestens alle drei Monate gereinigt werden. => Der Filter sollte mindestens alle 3 Monate gereinigt werden.
Die Pumpe ist für Gartenteiche geeignet. => Die Pumpe ist für Gartenteiche geeignet.
Do not run the pump dry, as this will damage the seals. => Do not run the pump dry.
The package contains:\n- a hose\n- two filters\n- the manual => The package contains a hose, two filters and the manual.
The lamp then blinks twice. => According to the manual, the lamp then blinks twice.
`,
  reworded: String.raw`
It weighs 12 kg and is rated for 230 V. => The X200 weighs 12 kg.
It weighs 12 kg and is rated for 230 V. => The pump weighs 12 kg and is rated for 230 V.
It weighs 12 kg and is rated for 230 V. To reset the pump => It weighs 12 kg. To reset the pump, hold the green button for 5 seconds.
To reset the pump, hold the green button for 5 seconds. => Hold the green button for 5 seconds to reset the pump.
To reset the pump, hold the green button for 5 seconds. => To reset the pump, press and hold the green button for 5 seconds.
The filter should be cleaned at least once every three months, or more often if the water is dirty. => The filter should be cleaned at least once every three months.
The filter should be cleaned at least once every three months, or more often if the water is dirty. => The filter should be cleaned at least every three months, or more often if the water is dirty.
Do not run the pump dry, as this will damage the seals. => The pump must not be run dry, as this will damage the seals.
Do not run the pump dry, as this will damage the seals. => Do not run the pump dry because this will damage the seals.
You can return the product within 30 days of delivery, provided that it is unused. => The product can be returned within 30 days of delivery, provided that it is unused.
You can return the product within 30 days of delivery, provided that it is unused. => You can return the product within 30 days of delivery if it is unused.
| Filter | 12 € | 0.3 kg | => A filter costs €12.
| Seal | 4 € | 0.1 kg | => The seal weighs 0.1 kg.
The pump was first sold in 2019 by Aqua GmbH, which was founded in Berlin in 1998. => The pump was first sold in 2019.
The pump was first sold in 2019 by Aqua GmbH, which was founded in Berlin in 1998. => Aqua GmbH was founded in Berlin in 1998.
The X200 is a submersible pump for garden ponds. => The X200 is a submersible pump.
The X200 is a submersible pump for garden ponds. => The X200 is a submersible pump designed for garden ponds.
The lamp then blinks twice. => The lamp blinks twice.
| Filter | 12 € | 0.3 kg | => **Filter:** 12 €
Sie wiegt 12 kg und benötigt 230 V. => Die Pumpe wiegt 12 kg.
Sie wiegt 12 kg und benötigt 230 V. => Die Pumpe wiegt 12 kg und benötigt 230 V.
Die Garantie beträgt 24 Monate ab Kaufdatum und gilt nicht für Dichtungen. => Die Garantie beträgt 24 Monate ab Kaufdatum.
Die Garantie beträgt 24 Monate ab Kaufdatum und gilt nicht für Dichtungen. => Die Garantie gilt nicht für Dichtungen.
Zum Zurücksetzen halten Sie die grüne Taste 5 Sekunden lang gedrückt. => Halten Sie zum Zurücksetzen die grüne Taste 5 Sekunden lang gedrückt.
`,
};
