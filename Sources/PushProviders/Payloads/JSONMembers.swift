import Campaigns

extension JSONMember {
    /// Returns the members that have a value.
    static func members(_ pairs: KeyValuePairs<String, JSONValue?>) -> [JSONMember] {
        pairs.compactMap { name, value in value.map { JSONMember(name, $0) } }
    }

    /// Merges `raw` into `base`: objects member by member, other values replaced, new members at the end.
    static func merge(_ base: [JSONMember], _ raw: [JSONMember]) -> [JSONMember] {
        var result = base
        for member in raw {
            guard let index = result.firstIndex(where: { $0.name == member.name }) else {
                result.append(member)
                continue
            }
            if case .object(let old) = result[index].value, case .object(let new) = member.value {
                result[index].value = .object(merge(old, new))
            } else {
                result[index].value = member.value
            }
        }
        return result
    }
}
