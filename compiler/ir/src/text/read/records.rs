//! The records of debug information: their names, the fields that each may have, and those that it must have.

use super::metadata::Metadata;
use super::{Reader, Result};

/// A record: its name, its fields, and how many of the first of these it must have.
type Record = (&'static str, usize, &'static [&'static str]);

#[rustfmt::skip]
const RECORDS: &[Record] = &[
    ("DILocation", 1, &["scope", "line", "column", "inlinedAt", "isImplicitCode", "atomGroup", "atomRank"]),
    ("GenericDINode", 1, &["tag", "header", "operands"]),
    ("DISubrange", 0, &["count", "lowerBound", "upperBound", "stride"]),
    ("DIGenericSubrange", 0, &["count", "lowerBound", "upperBound", "stride"]),
    ("DISubrangeType", 0, &["name", "file", "line", "scope", "size", "align", "flags", "lowerBound", "upperBound", "stride", "bias", "baseType"]),
    ("DIEnumerator", 2, &["name", "value", "isUnsigned"]),
    ("DIBasicType", 0, &["tag", "name", "file", "line", "scope", "size", "align", "dataSize", "encoding", "num_extra_inhabitants", "flags"]),
    ("DIFixedPointType", 0, &["tag", "name", "file", "line", "scope", "size", "align", "encoding", "flags", "kind", "factor", "numerator", "denominator"]),
    ("DIStringType", 0, &["tag", "name", "stringLength", "stringLengthExpression", "stringLocationExpression", "size", "align", "encoding"]),
    ("DIDerivedType", 2, &["tag", "baseType", "name", "file", "line", "scope", "size", "align", "offset", "flags", "extraData", "dwarfAddressSpace", "annotations", "ptrAuthKey", "ptrAuthIsAddressDiscriminated", "ptrAuthExtraDiscriminator", "ptrAuthIsaPointer", "ptrAuthAuthenticatesNullValues"]),
    ("DICompositeType", 1, &["tag", "name", "file", "line", "scope", "baseType", "size", "align", "offset", "flags", "elements", "runtimeLang", "vtableHolder", "templateParams", "identifier", "discriminator", "dataLocation", "associated", "allocated", "rank", "annotations", "num_extra_inhabitants", "specification", "enumKind", "bitStride"]),
    ("DISubroutineType", 1, &["types", "flags", "cc"]),
    ("DIFile", 2, &["filename", "directory", "checksumkind", "checksum", "source"]),
    ("DICompileUnit", 1, &["file", "language", "sourceLanguageName", "sourceLanguageVersion", "producer", "isOptimized", "flags", "runtimeVersion", "splitDebugFilename", "emissionKind", "enums", "retainedTypes", "subprograms", "globals", "imports", "macros", "dwoId", "splitDebugInlining", "debugInfoForProfiling", "gnuPubnames", "nameTableKind", "rangesBaseAddress", "sysroot", "sdk", "dialect"]),
    ("DISubprogram", 0, &["scope", "name", "linkageName", "file", "line", "type", "isLocal", "isDefinition", "scopeLine", "containingType", "virtuality", "virtualIndex", "thisAdjustment", "flags", "spFlags", "isOptimized", "unit", "templateParams", "declaration", "retainedNodes", "variables", "function", "thrownTypes", "annotations", "targetFuncName", "keyInstructions"]),
    ("DILexicalBlock", 1, &["scope", "file", "line", "column"]),
    ("DILexicalBlockFile", 1, &["scope", "file", "discriminator"]),
    ("DICommonBlock", 1, &["scope", "declaration", "name", "file", "line"]),
    ("DINamespace", 1, &["scope", "name", "exportSymbols", "file", "line"]),
    ("DIMacro", 2, &["type", "name", "line", "value"]),
    ("DIMacroFile", 1, &["file", "type", "line", "nodes"]),
    ("DIModule", 1, &["name", "scope", "configMacros", "includePath", "isysroot", "apinotes", "line", "isDecl", "file"]),
    ("DITemplateTypeParameter", 1, &["type", "name", "defaulted"]),
    ("DITemplateValueParameter", 1, &["value", "tag", "name", "type", "defaulted"]),
    ("DIGlobalVariable", 0, &["name", "scope", "linkageName", "file", "line", "type", "isLocal", "isDefinition", "templateParams", "declaration", "variable", "align", "annotations"]),
    ("DILocalVariable", 1, &["scope", "name", "arg", "file", "line", "type", "flags", "align", "tag", "annotations"]),
    ("DILabel", 2, &["scope", "name", "file", "line", "column", "isArtificial", "coroSuspendIdx"]),
    ("DIGlobalVariableExpression", 1, &["var", "expr"]),
    ("DIObjCProperty", 0, &["name", "file", "line", "setter", "getter", "attributes", "type"]),
    ("DIImportedEntity", 2, &["tag", "scope", "entity", "file", "line", "name", "elements"]),
    // Lists without names.
    ("DIExpression", 0, &[]),
    ("DIArgList", 0, &[]),
    ("DIAssignID", 0, &[]),
];

impl Reader<'_> {
    fn record_of(name: &str) -> Option<&'static Record> {
        RECORDS.iter().find(|record| record.0 == name)
    }

    /// Refuses a record that there is none of; the place is behind its name.
    pub(super) fn known_record(&self, name: &str) -> Result<()> {
        match Reader::record_of(name) {
            Some(_) => Ok(()),
            None => Err(self.error_at(
                self.next.saturating_sub(1),
                format!("there is no metadata of the kind !{name}"),
            )),
        }
    }

    /// Refuses a field that the record does not have, or that stands there a second time.
    pub(super) fn known_field(&self, name: &str, field: &str, before: &[(String, Metadata)]) -> Result<()> {
        let Some((_, _, fields)) = Reader::record_of(name) else {
            return Ok(());
        };
        if !fields.contains(&field) {
            return Err(self.error(format!("!{name} has no field {field}")));
        }
        if before.iter().any(|(other, _)| other == field) {
            return Err(self.error(format!("the field {field} stands here twice")));
        }
        Ok(())
    }

    /// Refuses a record without the fields that it must have.
    pub(super) fn needed_fields(&self, name: &str, fields: &[(String, Metadata)]) -> Result<()> {
        let Some((_, needed, known)) = Reader::record_of(name) else {
            return Ok(());
        };
        match known
            .iter()
            .take(*needed)
            .find(|needed| fields.iter().all(|(field, _)| field != *needed))
        {
            Some(missing) => Err(self.error(format!("!{name} needs the field {missing}"))),
            None => Ok(()),
        }
    }
}
