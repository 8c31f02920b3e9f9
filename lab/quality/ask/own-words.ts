/** Sentences to check answers with. The file is long because it is their list. */
import { checkSentence } from '../../../engines/text-work/ask/support.ts';

/** A sentence of a document, true sentences in other words, and false ones that use its words. */
export interface Restated {
  source: string;
  trues: readonly string[];
  lies: readonly string[];
}

type Row = readonly [source: string, trues: readonly string[], lies: readonly string[]];

const ROWS: readonly Row[] = [
  // Who does what to whom.
  [
    'Vetro bought the glass division from Brightwater in 2024.',
    [
      'In 2024 Vetro bought the glass division from Brightwater.',
      'The glass division was bought by Vetro in 2024.',
      'In 2024, Brightwater sold its glass division to Vetro.',
    ],
    [
      'In 2024 Brightwater bought the glass division from Vetro.',
      'The glass division bought Vetro from Brightwater in 2024.',
      'In 2024 the glass division was bought by Brightwater.',
      'From Vetro, Brightwater bought the glass division in 2024.',
      'In 2024 Vetro and Brightwater bought the glass division.',
    ],
  ],
  [
    'The tenant informs the owner of any damage within 3 days.',
    [
      'Within 3 days the tenant informs the owner of any damage.',
      'The tenant informs the owner of any damage within 72 hours.',
      'The owner is informed by the tenant.',
    ],
    [
      'The owner informs the tenant of any damage within 3 days.',
      'Within 3 days the owner informs the tenant of any damage.',
      'The tenant informs the owner of any damage within 3 hours.',
      'Within 3 days the tenant damages the owner.',
      'The tenant informs the owner within 3 days of any damage to the owner.',
    ],
  ],
  [
    'The controller sends the alarm to the gateway after 30 seconds.',
    [
      'After 30 seconds the controller sends the alarm to the gateway.',
      'The controller sends the alarm to the gateway after half a minute.',
      'The gateway gets the alarm from the controller.',
    ],
    [
      'The gateway sends the alarm to the controller after 30 seconds.',
      'After 30 seconds the gateway sends the alarm to the controller.',
      'To the controller the gateway sends the alarm.',
      'The controller sends the gateway to the alarm after 30 seconds.',
      'Before 30 seconds the controller sends the alarm to the gateway.',
    ],
  ],
  [
    'Norvia supplies Helvet with valves for 5 years.',
    [
      'For 5 years Norvia supplies Helvet with valves.',
      'Norvia supplies Helvet with valves for 60 months.',
      'Helvet gets its valves from Norvia.',
    ],
    [
      'Helvet supplies Norvia with valves for 5 years.',
      'For 5 years Helvet supplies Norvia with valves.',
      'With Helvet Norvia supplies valves for 5 years.',
      'Norvia supplies valves with Helvet for 5 months.',
      'For 60 years Norvia supplies Helvet with valves.',
    ],
  ],
  [
    'The left pump feeds the right tank during the night.',
    [
      'During the night the left pump feeds the right tank.',
      'At night the right tank is fed by the left pump.',
      'During the night, the left pump fills the right tank.',
    ],
    [
      'The right pump feeds the left tank during the night.',
      'During the night the right pump feeds the left tank.',
      'The left tank feeds the right pump during the night.',
      'During the night the tank feeds the left pump.',
      'The left pump feeds the night during the right tank.',
    ],
  ],
  // Comparatives.
  [
    'Model A is heavier than Model B.',
    [
      'Model B is lighter than Model A.',
      'Model A weighs more than Model B.',
      'Compared with B, Model A is heavy.',
    ],
    [
      'Model B is heavier than Model A.',
      'Model A is lighter than Model B.',
      'Than Model A, Model B is heavier.',
      'Model A is not heavier than Model B.',
      'Model A is as heavy as Model B.',
    ],
  ],
  [
    'The new motor uses at most 40 kWh a month, 5 kWh less than the old motor.',
    [
      'The new motor uses no more than 40 kWh a month.',
      'The new motor uses at most 40 kWh per month.',
      'The monthly use of the new motor is 40 kWh at most.',
    ],
    [
      'The new motor uses at least 40 kWh a month.',
      'The old motor uses at most 40 kWh a month.',
      'The new motor uses no less than 40 kWh a month.',
      'The new motor uses 5 kWh more than the old motor.',
      'The old motor uses 5 kWh less than the new motor.',
    ],
  ],
  [
    'The battery lasts at least 10 hours in standby.',
    [
      'In standby the battery lasts at least 10 hours.',
      'The battery lasts no less than 10 hours.',
      'The battery lasts a minimum of 10 hours in standby.',
    ],
    [
      'The battery lasts at most 10 hours in standby.',
      'The battery lasts no more than 10 hours in standby.',
      'In standby the battery lasts up to 10 hours.',
      'The battery lasts at least 10 minutes in standby.',
      'The battery lasts a maximum of 10 hours in standby.',
    ],
  ],
  [
    'Fewer than ten people work in Porto, more than in Faro.',
    [
      'In Porto fewer than ten people work.',
      'Less than ten people work in Porto.',
      'Faro has fewer people than Porto.',
    ],
    [
      'More than ten people work in Porto.',
      'Fewer than ten people work in Faro.',
      'No fewer than ten people work in Porto.',
      'In Faro more than ten people work.',
      'Fewer people work in Porto than in Faro.',
    ],
  ],
  [
    'Version 4 is faster than version 3 but slower than version 5.',
    [
      'Version 3 is slower than version 4.',
      'Version 5 is faster than version 4.',
      'Version 4 beats version 3.',
    ],
    [
      'Version 4 is slower than version 3.',
      'Version 4 is faster than version 5.',
      'Version 3 is faster than version 4.',
      'Version 5 is slower than version 4.',
      'Version 4 is faster than version 3 and version 5.',
    ],
  ],
  // The scope of `only`.
  [
    'Only trained staff may clean the filter.',
    ['The filter may be cleaned only by trained staff.', 'Cleaning the filter is for trained staff only.'],
    [
      'Trained staff may only clean the filter.',
      'Trained staff may clean only the filter.',
      'Staff may only clean the trained filter.',
      'The filter may only clean trained staff.',
      'Staff may clean the filter.',
    ],
  ],
  [
    'The lift may be used only by residents on Sundays.',
    ['On Sundays the lift may be used only by residents.', 'On Sundays only residents may use the lift.'],
    [
      'The lift may be used by residents only on Sundays.',
      'Only on Sundays the lift may be used by residents.',
      'The lift may only be used on Sundays.',
      'Residents may use only the lift on Sundays.',
      'On Sundays the lift may be used by residents.',
    ],
  ],
  [
    'The valve only opens at a pressure of 4 bar.',
    ['At a pressure of 4 bar only, the valve opens.', 'The valve does not open below 4 bar.'],
    [
      'Only the valve opens at a pressure of 4 bar.',
      'At a pressure of 4 bar the valve only opens.',
      'The valve opens only the pressure of 4 bar.',
      'The only valve opens at a pressure of 4 bar.',
      'The valve opens at any pressure of 4 bar.',
    ],
  ],
  [
    'Guests pay only for breakfast in winter.',
    ['In winter guests pay only for breakfast.', 'In winter only breakfast has to be paid.'],
    [
      'Only guests pay for breakfast in winter.',
      'Guests pay for breakfast only in winter.',
      'Only in winter guests pay for breakfast.',
      'In winter only guests pay for breakfast.',
      'Guests only pay in winter.',
    ],
  ],
  [
    'The pump may only run for 5 minutes without water.',
    [
      'Without water the pump may run for 5 minutes only.',
      'The pump may only run for 300 seconds without water.',
    ],
    [
      'For 5 minutes the pump may only run without water.',
      'Only the pump may run for 5 minutes without water.',
      'The pump may run for 5 minutes only without water.',
      'The pump may run for 5 hours without water.',
      'The pump may only run without water.',
    ],
  ],
  // Quantifiers.
  [
    'All doors have two locks, and some locks have an alarm.',
    ['Every door has two locks.', 'Each door has two locks.', 'Some of the locks have an alarm.'],
    [
      'Some doors have two locks.',
      'All locks have an alarm.',
      'All doors have an alarm.',
      'Some locks have two doors.',
      'All doors have some locks.',
    ],
  ],
  [
    'Each flat has one cellar and every third flat has a garage.',
    ['Every flat has one cellar.', 'There is one cellar for each flat.', 'One flat in three has a garage.'],
    [
      'Every flat has a garage.',
      'Each flat has a garage.',
      'Every third flat has one cellar.',
      'Each cellar has one flat.',
      'Each third flat has one cellar.',
    ],
  ],
  [
    'Not all tablets contain lactose.',
    ['Some tablets contain no lactose.', 'Not every tablet contains lactose.'],
    [
      'All tablets do not contain lactose.',
      'All tablets contain lactose.',
      'Not any tablets contain lactose.',
      'Tablets do not contain all lactose.',
      'No tablets contain lactose.',
    ],
  ],
  [
    'Most members voted for the plan in May, and none voted against it.',
    [
      'In May most members voted for the plan.',
      'Nobody voted against the plan.',
      'A majority voted for the plan.',
    ],
    [
      'Most members voted against the plan in May.',
      'In May all members voted for the plan.',
      'None voted for the plan.',
      'Most members voted for the plan in March.',
      'In May few members voted for the plan.',
    ],
  ],
  [
    'Every user has a key for some doors.',
    ['Each user has a key for some doors.', 'There are doors for which every user has a key.'],
    [
      'For some doors every user has a key.',
      'Some users have a key for every door.',
      'Every user has a key for every door.',
      'Every door has a key for some users.',
      'Some user has a key for some doors.',
    ],
  ],
  // The order of times.
  [
    'Close the valve before the pump is started.',
    ['Before the pump is started, close the valve.', 'Start the pump after closing the valve.'],
    [
      'Close the valve after the pump is started.',
      'Before the valve is closed, start the pump.',
      'Start the pump before the valve is closed.',
      'After the pump is started, close the valve.',
      'Before the valve is started, close the pump.',
    ],
  ],
  [
    'The office is open from 8 to 12 and the shop from 13 to 18.',
    ['From 8 to 12 the office is open.', 'The shop is open from 13 to 18.', 'The office opens at 8.'],
    [
      'The office is open from 12 to 8.',
      'The office is open from 13 to 18.',
      'From 8 to 12 the shop is open.',
      'From 12 to 8 the office is open.',
      'The office is open from 8 to 18.',
    ],
  ],
  [
    'The plant was opened in 2019 after the bridge was repaired in 2018.',
    [
      'In 2019 the plant was opened.',
      'In 2018 the bridge was repaired.',
      'The plant was opened after the repair.',
    ],
    [
      'In 2018 the plant was opened.',
      'In 2019 the bridge was repaired.',
      'The plant was opened in 2018.',
      'The bridge was repaired in 2018 after the plant was opened.',
      'The plant was opened in 2019 before the bridge was repaired in 2018.',
    ],
  ],
  [
    'Profit rose by 3 % in 2024 and by 9 % in 2025.',
    ['In 2024 profit rose by 3 %.', 'In 2025, profit rose by 9 %.', 'Profit rose by 3 percent during 2024.'],
    [
      'In 2025 profit rose by 3 %.',
      'In 2024 profit rose by 9 %.',
      'Profit rose by 9 % in 2024.',
      'In 2024 profit fell by 3 %.',
      'In 2024 profit rose by 3 % and in 2025 by 3 %.',
    ],
  ],
  [
    'Mr Lund led the board from 2010 to 2015, Ms Ribeiro from 2015 to 2021.',
    [
      'From 2010 to 2015 Mr Lund led the board.',
      'Ms Ribeiro followed Mr Lund.',
      'Mr Lund was head of the board.',
    ],
    [
      'From 2015 to 2021 Mr Lund led the board.',
      'Mr Lund led the board from 2015 to 2010.',
      'From 2010 to 2015 Ms Ribeiro led the board.',
      'From 2010 to 2021 Mr Lund led the board.',
      'Mr Lund led the board before 2010.',
    ],
  ],
  // Two clauses merged.
  [
    'The red lamp shows an error, and the green lamp shows that the pump is running.',
    ['An error is shown by the red lamp.', 'The pump is running when the green lamp is on.'],
    [
      'The green lamp shows an error.',
      'The red lamp shows that the pump is running.',
      'The red lamp shows an error that the pump is running.',
      'The green lamp and the red lamp show an error.',
      'The pump shows the red lamp.',
    ],
  ],
  [
    'The kitchen has a window while the bath has a fan and no window.',
    ['There is a window in the kitchen.', 'The bath has no window.', 'The kitchen has one window.'],
    [
      'The bath has a window.',
      'The kitchen has a fan.',
      'The kitchen has no window.',
      'The kitchen has a window and no window.',
      'The bath has a window and no fan.',
    ],
  ],
  [
    'Adults take 20 mg in the morning, children take 5 mg in the evening.',
    [
      'In the morning adults take 20 mg.',
      'In the evening children take 5 mg.',
      'Adults take 0.02 g in the morning.',
    ],
    [
      'In the evening adults take 20 mg.',
      'In the morning children take 5 mg.',
      'Adults take 5 mg in the evening.',
      'Adults take 20 g in the morning.',
      'Adults take 0.2 g in the morning.',
    ],
  ],
  [
    'The fee is 40 euros for members, but 90 euros for guests.',
    ['For members the fee is 40 euros.', 'Members pay a fee of 40 euros.', 'For guests the fee is 90 euros.'],
    [
      'For guests the fee is 40 euros.',
      'The fee is 90 euros for members.',
      'For members the fee is 90 euros.',
      'The fee is 40 euros for members and guests.',
      'The fee is 40 dollars for members.',
    ],
  ],
  [
    'Water boils in the upper tank, and it cools in the lower tank within 2 hours.',
    ['In the upper tank water boils.', 'In the lower tank it cools within 120 minutes.'],
    [
      'In the lower tank water boils.',
      'Water cools in the upper tank within 2 hours.',
      'Within 2 hours water boils in the upper tank.',
      'Water boils in the upper tank within 2 hours.',
      'In the upper tank it cools within 2 hours.',
    ],
  ],
  // Quantities.
  [
    'The guarantee lasts 24 months.',
    ['The guarantee lasts 2 years.', 'The guarantee lasts two years.', 'You get a guarantee of two years.'],
    [
      'The guarantee lasts 24 years.',
      'The guarantee lasts 2 months.',
      'The guarantee lasts 12 months.',
      'The guarantee lasts 104 days.',
      'The guarantee lasts up to two years.',
    ],
  ],
  [
    'The gear needs 0.4 litres of oil every 500 hours.',
    ['The gear needs 400 ml of oil every 500 hours.', 'Every 500 hours the gear needs 0.4 litres of oil.'],
    [
      'The gear needs 40 ml of oil every 500 hours.',
      'The gear needs 4 litres of oil every 500 hours.',
      'The gear needs 500 litres of oil every 0.4 hours.',
      'Every 400 hours the gear needs 500 ml of oil.',
      'The oil needs 400 ml of gear every 500 hours.',
    ],
  ],
  [
    'The cable is 2.5 m long and 8 mm thick.',
    [
      'The cable is 250 cm long.',
      'The cable is 2500 mm long and 8 mm thick.',
      'The length of the cable is 2.5 m.',
    ],
    [
      'The cable is 25 cm long.',
      'The cable is 8 mm long.',
      'The cable is 2.5 m thick.',
      'The cable is 250 mm long.',
      'The cable is 8 cm thick.',
    ],
  ],
  [
    'The appeal must be filed within two weeks.',
    ['The appeal must be filed within 14 days.', 'Within two weeks the appeal must be filed.'],
    [
      'The appeal may be filed within two weeks.',
      'The appeal must be filed after two weeks.',
      'The appeal must be filed within 12 days.',
      'Within two weeks the appeal must not be filed.',
      'The appeal must be filed within two days.',
    ],
  ],
  [
    'The oven needs approximately 90 minutes.',
    [
      'The oven needs about 90 minutes.',
      'The oven needs roughly 1.5 hours.',
      'The oven takes about 90 minutes.',
    ],
    [
      'The oven needs 90 minutes.',
      'The oven needs at least 90 minutes.',
      'The oven needs about 90 hours.',
      'The oven needs almost 90 minutes.',
      'The oven needs about 2 hours.',
    ],
  ],
  // Modals, conditions and negations.
  [
    'You must not open the lid during the test.',
    ['During the test you must not open the lid.', 'Opening the lid during the test is forbidden.'],
    [
      'You do not have to open the lid during the test.',
      'During the test you must open the lid.',
      'You need not open the lid during the test.',
      'You must not test the lid during the opening.',
      'During the test you may open the lid.',
    ],
  ],
  [
    'The fan does not run for more than 10 minutes.',
    ['The fan runs for 10 minutes at most.', 'The fan does not run for over 10 minutes.'],
    [
      'For more than 10 minutes the fan does not run.',
      'The fan does not run for 10 minutes.',
      'The fan runs for more than 10 minutes.',
      'For 10 minutes the fan does not run.',
      'The fan does not run for less than 10 minutes.',
    ],
  ],
  [
    'Employees have to wear gloves in the hall unless the belt is off.',
    [
      'Unless the belt is off, employees have to wear gloves in the hall.',
      'Gloves are required while the belt runs.',
    ],
    [
      'Employees have to wear gloves in the hall.',
      'Employees must wear gloves in the hall.',
      'If the belt is off, employees have to wear gloves in the hall.',
      'Employees do not have to wear gloves in the hall.',
      'Unless employees wear gloves in the hall, the belt is off.',
    ],
  ],
  [
    'If the filter is dirty, the lamp blinks within 10 seconds.',
    ['The lamp blinks within 10 seconds if the filter is dirty.', 'A dirty filter makes the lamp blink.'],
    [
      'If the lamp blinks, the filter is dirty within 10 seconds.',
      'The lamp blinks within 10 seconds.',
      'The filter is dirty if the lamp blinks.',
      'If the filter is not dirty, the lamp blinks within 10 seconds.',
      'The filter blinks within 10 seconds if the lamp is dirty.',
    ],
  ],
  [
    'Neither the seal nor the hose may touch the burner before 2030.',
    [
      'Before 2030 neither the seal nor the hose may touch the burner.',
      'Seal and hose must stay off the burner.',
    ],
    [
      'The seal may touch the burner before 2030.',
      'The hose may touch the burner.',
      'Before 2030 neither the burner nor the hose may touch the seal.',
      'Neither the seal nor the hose may touch the burner after 2030.',
      'Before 2030 the seal or the hose may touch the burner.',
    ],
  ],
  [
    'The board dismissed the director of the plant in Porto in June.',
    [
      'In June the board dismissed the director of the plant in Porto.',
      'The director in Porto was dismissed.',
    ],
    [
      'In Porto the board dismissed the director of the plant in June.',
      'In June the director dismissed the board of the plant in Porto.',
      'In June in Porto the plant dismissed the director.',
      'The board of the plant in Porto dismissed the director in June.',
      'In June the board dismissed the plant in Porto.',
    ],
  ],
];

/** Sentences in the words of documents and beyond them; those that are true, and lies close to them. */
export const RESTATED: readonly Restated[] = ROWS.map(([source, trues, lies]) => ({ source, trues, lies }));

/** Whether a sentence is supported by its source, quoted as a whole. */
export function isSupported(text: string, source: string): boolean {
  const quotes = [{ passage: 1, quote: source }];
  return checkSentence({ text, quotes }, [{ text: source, headingPath: [] }]).supported;
}
