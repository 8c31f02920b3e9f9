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
      questions: [
        'En quelle année fut posée la première pierre de « @ » ?',
        'Quand les marchands ont-ils ouvert le chantier de « @ » ?',
      ],
      fact: 'year',
    },
    {
      heading: 'Billets',
      statement: "L'abonnement annuel coûte # centimes et se vend au guichet près du portail.",
      questions: [
        "Combien coûte l'abonnement annuel à « @ » ?",
        'Quel est le prix des abonnements pour « @ » ?',
      ],
      fact: 'number',
    },
    {
      heading: 'Direction',
      statement:
        'La direction est assurée par #, au terme de longues recherches menées par le conseil municipal.',
      questions: [
        'Qui assure la direction de « @ » ?',
        'Qui le conseil municipal a-t-il trouvé pour diriger « @ » ?',
      ],
      fact: 'person',
    },
    {
      heading: 'Entretien',
      statement:
        'La pompe principale est contrôlée toutes les # heures de fonctionnement, et ses joints sont alors remplacés.',
      questions: [
        'Toutes les combien d’heures la pompe principale de « @ » est-elle contrôlée ?',
        'À quel rythme faut-il remplacer les joints de la pompe de « @ » ?',
      ],
      fact: 'number',
    },
    {
      heading: 'Dimensions',
      statement: 'La grande salle mesure # centimètres de haut et ne comporte aucun pilier.',
      questions: [
        'Quelle est la hauteur de la grande salle de « @ » ?',
        'Combien de centimètres mesure la salle de « @ » ?',
      ],
      fact: 'number',
    },
    {
      heading: 'Urgences',
      statement: "En cas d'incendie, composez le poste # et quittez le bâtiment par les escaliers.",
      questions: [
        "Quel poste composer en cas d'incendie à « @ » ?",
        'Qui appeler si un incendie se déclare à « @ » ?',
      ],
      fact: 'number',
    },
    {
      heading: 'Collection',
      statement: "La collection compte # lettres de marins, dont la plupart n'ont jamais été remises.",
      questions: [
        'Combien de lettres de marins compte la collection de « @ » ?',
        'Quel est le nombre de lettres de la collection de « @ » ?',
      ],
      fact: 'number',
    },
    {
      heading: 'Consommation annuelle',
      statement: 'Électricité en kWh|Eau en mètres cubes|Gaz en mètres cubes',
      questions: [
        "Combien de mètres cubes d'eau « @ » consomme-t-il par an ?",
        "Quelle est la consommation annuelle d'eau de « @ » ?",
      ],
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
