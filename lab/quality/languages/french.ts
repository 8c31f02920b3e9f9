import type { CorpusLanguage } from './corpus-language.ts';

export const FRENCH: CorpusLanguage = {
  code: 'fr',
  names: [
    'Musée de Vézelin',
    'Phare de Kermor',
    'Bibliothèque de Salers',
    'Moulin de Brassac',
    'Observatoire de Sauveterre',
    'Port de Lanriec',
    'Archives de Montréal-du-Gers',
    'Hôpital de Châtillon',
    'Brasserie de Péronne',
    'Usine des eaux de Noyers',
    'Théâtre de Figeac',
    'Pépinière de Lurcy',
  ],
  persons: [
    'Hélène Marchand',
    'Gérard Lefèvre',
    'Odile Charpentier',
    'Benoît Delmas',
    'Sylvie Rousselot',
    'Thierry Gauvin',
    'Mireille Dutilleul',
    'Étienne Barrault',
    'Colette Vasseur',
    'Fabrice Monnier',
    'Noëlle Tissandier',
    'Régis Auberlin',
  ],
  topics: [
    {
      heading: 'Histoire',
      statement:
        "La première pierre fut posée en # par des marchands de la ville, bien que le chantier ait été interrompu deux fois faute d'argent.",
      fact: 'year',
    },
    {
      heading: 'Billets',
      statement: "L'abonnement annuel coûte # centimes et se vend au guichet près du portail.",
      fact: 'number',
    },
    {
      heading: 'Direction',
      statement:
        'La direction est assurée par #, au terme de longues recherches menées par le conseil municipal.',
      fact: 'person',
    },
    {
      heading: 'Entretien',
      statement:
        'La pompe principale est contrôlée toutes les # heures de fonctionnement, et ses joints sont alors remplacés.',
      fact: 'number',
    },
    {
      heading: 'Dimensions',
      statement: 'La grande salle mesure # centimètres de haut et ne comporte aucun pilier.',
      fact: 'number',
    },
    {
      heading: 'Urgences',
      statement: "En cas d'incendie, composez le poste # et quittez le bâtiment par les escaliers.",
      fact: 'number',
    },
    {
      heading: 'Collection',
      statement: "La collection compte # lettres de marins, dont la plupart n'ont jamais été remises.",
      fact: 'number',
    },
    {
      heading: 'Consommation annuelle',
      statement: 'Électricité en kWh|Eau en mètres cubes|Gaz en mètres cubes',
      fact: 'number',
    },
  ],
  filler: [
    'Le comité en a longuement discuté et compte y revenir au printemps.',
    'La plupart des visiteurs viennent à pied, car la route le long du fleuve est étroite.',
    'Un rapport à ce sujet est envoyé gratuitement à ceux qui le demandent.',
    'Plusieurs voisins ont proposé leur aide pour les travaux du jardin.',
    'Les fenêtres du côté nord ont été changées il y a quelque temps.',
    "Les avis divergent, mais personne n'a encore proposé mieux.",
    'Les allées sont balayées chaque matin, même en hiver.',
    'Une petite cuisine sert du thé, de la soupe et du pain à ceux qui attendent.',
    'Les photographies sont permises tant que personne ne s’en plaint.',
    "Le personnel de l'entrée répond volontiers aux autres questions.",
    'Le toit est étanche depuis la dernière grande tempête.',
    "Les écoles viennent le matin, les familles plutôt l'après-midi.",
  ],
};
